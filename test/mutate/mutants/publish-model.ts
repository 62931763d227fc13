import type { Mutant } from '../mutant.ts'

export const publishModel: readonly Mutant[] = [
  {
    file: 'shared/publish/pairs/column-upserts.ts',
    what: 'a value of a wrong type passes after one that needs the same expression',
    from: "if (isTyped && code === plain && typeof value !== 'string') code += mostCodes * kindOfPlain(value)",
    to: '',
    tests: ['unit/publish/model.columns'],
  },
  {
    file: 'shared/publish/pairs/node-upserts.ts',
    what: 'what the model leaves out is deleted on the target',
    from: 'protectedKeys: withSkipped(changes.protectedKeys, new Set(omitted))',
    to: 'protectedKeys: changes.protectedKeys',
    tests: ['unit/publish/model.rules'],
  },
  {
    file: 'shared/publish/build/model-violations.ts',
    what: 'a node without a required property is published under omit',
    from: "  if (!isBroken || !omits(context)) return false\n  context.report.model?.omitted('nodes')\n  return true",
    to: '  return false',
    tests: ['replay/models'],
  },
  {
    file: 'shared/publish/build/nodes.ts',
    what: 'an end that breaks the model is merged at the target',
    from: 'if (violation && isRefused(context, { node, keys, identity }, violation)) return null',
    to: 'if (violation) isRefused(context, { node, keys, identity }, violation)',
    tests: ['replay/models'],
  },
  {
    file: 'shared/jobs/stored-request.ts',
    what: 'a worker that finds no model of a bound publish publishes it unchecked',
    from: 'const model = requests.some((request) => request.model !== undefined) ? await readModel(store, { id, orgName }) : null',
    to: 'const model = null',
    tests: ['e2e/models'],
  },
  {
    file: 'shared/publish/request/bound-model.ts',
    what: 'an id property that the model does not have as unique is accepted',
    from: 'if (candidates === null || candidates.has(key)) continue',
    to: 'if (candidates !== null) continue',
    tests: ['unit/publish/model.binding'],
  },
]
