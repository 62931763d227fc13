import type { Mutant } from '../mutant.ts'

const twin = ['replay/masked.equals-a-masked-origin']
const hash = ['unit/origin/keyed-hash']
const shown = ['e2e/masked-values.refused-or-shown']
const rules = ['unit/api/mask.refusals']

export const masks: readonly Mutant[] = [
  {
    file: 'shared/origin/keyed-hash.ts',
    what: 'a text and a number of the same digits share a hash',
    from: 'const otherTag = 0x76',
    to: 'const otherTag = 0x73',
    tests: hash,
  },
  {
    file: 'shared/origin/keyed-hash.ts',
    what: 'the values of two properties can be joined',
    from: 'update(JSON.stringify(purpose))',
    to: "update(purpose.join(''))",
    tests: hash,
  },
  {
    file: 'shared/request/mask/mask-key.ts',
    what: 'a directory of an org hashes otherwise than the org',
    from: "orgName.split('/')[0] as string",
    to: 'orgName',
    tests: hash,
  },
  {
    file: 'shared/origin/masked-properties.ts',
    what: 'a hashed property has the hash of the one before',
    from: 'if (this.#hashedIndex !== index)',
    to: 'if (this.#hashedIndex === -1)',
    tests: twin,
  },
  {
    file: 'shared/request/mask/masker.ts',
    what: 'the id of a node is left out because no list names it',
    from: 'if (key === id) return first ?? null',
    to: '',
    tests: shown,
  },
  {
    file: 'shared/request/mask/masker.ts',
    what: 'what is left out stays in the packet as null',
    from: "action === 'drop' ? kind.absent : maskedKind",
    to: 'maskedKind',
    tests: twin,
  },
  {
    file: 'shared/publish/write/cleanup/write-cleanups.ts',
    what: 'the cleanup of a missing node names its id in clear',
    from: 'masker ? masker.id(label, idProperty, rendered) : rendered',
    to: 'rendered',
    tests: ['e2e/masked-values.appear-nowhere'],
  },
  {
    file: 'shared/read/relationship-rows.ts',
    what: 'far ends are not masked',
    from: 'maskNode(reading, far)',
    to: 'void far',
    tests: twin,
  },
  {
    file: 'shared/request/mask/mask-rules.ts',
    what: 'an id may be left out',
    from: 'const isId = idProperties.get(name) === property',
    to: 'const isId = false as boolean',
    tests: rules,
  },
  {
    file: 'shared/request/mask/mask-rules.ts',
    what: 'a sensitive property of a model needs no rule',
    from: 'if (!sensitive || isLeftOut',
    to: 'if (sensitive || isLeftOut',
    tests: rules,
  },
  {
    file: 'shared/publish/mask-tally.ts',
    what: 'a dry run shows the exact length of a masked text',
    from: '${10 ** (digits - 1)} to ${10 ** digits - 1} characters',
    to: '${length} characters',
    tests: shown,
  },
]
