import type { Mutant } from '../mutant.ts'

export const publishModel: readonly Mutant[] = [
  {
    file: 'shared/publish/pairs/upserts.ts',
    what: 'a property is judged by the type of another one',
    from: 'typeOf(read[at] as Kind)] as const)',
    to: 'typeOf(read[0] as Kind)] as const)',
    tests: ['unit/publish/model.rules'],
  },
  {
    file: 'shared/publish/pairs/upserts.ts',
    what: 'what the model leaves out is deleted on the target',
    from: '[...skipped.map((at) => keys[at] as string), ...omitted]',
    to: 'skipped.map((at) => keys[at] as string)',
    tests: ['unit/publish/model.rules'],
  },
  {
    file: 'shared/publish/write/model-violations.ts',
    what: 'a node without a required property is published under omit',
    from: "  if (!isBroken || !omits(context)) return false\n  context.report.model?.omitted('nodes')\n  return true",
    to: '  return false',
    tests: ['replay/models'],
  },
  {
    file: 'shared/publish/write/nodes.ts',
    what: 'an end that breaks the model is merged at the target',
    from: 'if (violation && isRefused(context, { node, keys, identity }, violation)) {',
    to: 'if (violation && isRefused(context, { node, keys, identity }, violation) && false) {',
    tests: ['replay/models'],
  },
  {
    file: 'shared/jobs/stored/stored-request.ts',
    what: 'a worker that finds no model of a bound publish publishes it unchecked',
    from: 'const model = requests.some((request) => request.model !== undefined) ? await readModel(store, { id, orgName }) : null',
    to: 'const model = null',
    tests: ['e2e/models'],
  },
  {
    file: 'shared/request/bound-model.ts',
    what: 'an id property that the model does not have as unique is accepted',
    from: 'if (candidates === undefined || candidates.has(key)) continue',
    to: 'if (candidates !== undefined) continue',
    tests: ['unit/publish/model.binding'],
  },
]
