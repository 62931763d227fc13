import type { Mutant } from '../mutant.ts'

export const publishRequest: readonly Mutant[] = [
  {
    file: 'shared/publish/request/plan.ts',
    what: 'a request that only deletes relationships replaces the properties of nodes',
    from: ' && !deletesOnly,\n    publishesRelationships',
    to: ',\n    publishesRelationships',
    tests: ['replay/options.replay-as-asked'],
  },
  {
    file: 'shared/publish/request/plan.ts',
    what: 'relationships are deleted despite preventCleanup',
    from: "if (request.preventCleanup === true) return 'none'",
    to: '',
    tests: ['unit/publish/cleanup.kinds'],
  },
  {
    file: 'shared/publish/request/rules.ts',
    what: 'a timestamp replaces the id of every node',
    from: '[idProperty, idField]',
    to: '[idField]',
    tests: ['unit/publish/rules.options'],
  },
  {
    file: 'shared/publish/request/rules.ts',
    what: 'an id may be a protected property, so that nodes are created without it',
    from: '[idProperty, stamped]',
    to: '[stamped]',
    tests: ['unit/publish/rules.options'],
  },
  {
    file: 'shared/publish/request/identity.ts',
    what: 'a node with two labels of mappedIndices is published under either of them, by chance',
    from: 'return only !== undefined && another === undefined ? only : null',
    to: 'return only ?? null',
    tests: ['unit/publish/identity'],
  },
  {
    file: 'shared/packet/identity.ts',
    what: 'the ids 5 and 5.0, which are equal on the target, count as two',
    from: '/[.eE]/.test(text) && Number.isInteger(Number(text))',
    to: 'false',
    tests: ['unit/publish/identity'],
  },
  {
    file: 'shared/publish/request/multi.ts',
    what: 'sub-requests may give a label two id properties, so a node is published twice',
    from: 'else if (known.idProperty !== idProperty) {',
    to: 'else if (false) {',
    tests: ['unit/publish/multi'],
  },
  {
    file: 'shared/publish/request/option-agreement.ts',
    what: 'one sub-request deletes by id the relationships that another publishes without that id',
    from: "plan.publishesRelationships || plan.cleanup === 'byRelationshipId',",
    to: 'plan.publishesRelationships,',
    tests: ['unit/publish/option-agreement'],
  },
  {
    file: 'shared/publish/request/option-agreement.ts',
    what: 'a node reached by toLayer ends with the properties of the pair that is replayed last',
    from: 'toLayer.length > 0 || originIds.length === 0 ? null : [index.label]',
    to: '[index.label]',
    tests: ['unit/publish/option-agreement'],
  },
  {
    file: 'shared/packet/identity.ts',
    what: 'two large integer ids that are equal as floats count as one node',
    from: '/[.eE]/.test(text) && Number.isInteger',
    to: 'Number.isInteger',
    tests: ['unit/publish/identity'],
  },
]
