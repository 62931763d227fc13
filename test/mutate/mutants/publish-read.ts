import type { Mutant } from '../mutant.ts'

export const publishRead: readonly Mutant[] = [
  {
    file: 'shared/publish/read/queries.ts',
    what: 'a constraint on an id together with another property is taken for one on the id',
    from: ' && names.length === 2 &&',
    to: ' &&',
    tests: ['integration/packet.trusts-no-earlier-request'],
  },
  {
    file: 'shared/publish/read/hub.ts',
    what: 'a part of the relationships of a node with very many is not published',
    from: 'for (let part = 0; part < parts; part++)',
    to: 'for (let part = 1; part < parts; part++)',
    tests: ['integration/packet.hubs-in-parts'],
  },
  {
    file: 'shared/publish/read/hub.ts',
    what: 'parallel relationships beyond one read are published once for each read',
    from: 'isOpen: end < ids.length',
    to: 'isOpen: false',
    tests: ['integration/packet.parallel-relationships'],
  },
]
