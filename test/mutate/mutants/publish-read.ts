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
    file: 'shared/publish/read/columns.ts',
    what: 'a property that earlier nodes did not have is not published',
    from: 'return present === values[length] ? { keys: columns.keys, values, columns } : null',
    to: 'return { keys: columns.keys, values, columns }',
    tests: ['integration/packet.columns-change-nothing'],
  },
  {
    file: 'shared/publish/read/records.ts',
    what: 'a node or relationship that was deleted while it was read is published without properties',
    from: 'if (row[keys.length] !== 0) return false',
    to: 'if (keys.length >= 0) return false',
    tests: ['integration/packet.deleted-while-read'],
  },
  {
    file: 'shared/publish/read/records.ts',
    what: 'a record may hold eight elements of any size',
    from: 'Math.floor(recordBytes / Math.max(1, largestBytes))',
    to: 'mostElements',
    tests: ['integration/packet.large-elements', 'unit/publish/records.hold-few-elements'],
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
