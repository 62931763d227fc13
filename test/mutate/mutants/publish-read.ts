import type { Mutant } from '../mutant.ts'

export const publishRead: readonly Mutant[] = [
  {
    file: 'shared/read/relationship-rows.ts',
    what: 'a relationship that is deleted while it is read is published without its properties, or the wrong way round',
    from: '(isOutgoing || isIncoming) && properties',
    to: 'properties',
    tests: ['unit/publish/hub'],
  },
  {
    file: 'shared/read/deleted.ts',
    what: 'a node that is deleted while it is read fails the publish for good',
    from: 'if (!existing.has(id)) deleted.add(id)',
    to: 'if (false) deleted.add(id)',
    tests: ['unit/publish/deleted.left-out'],
  },
  {
    file: 'shared/read/deleted.ts',
    what: 'a packet deletes what the origin has, because the origin answered null for it',
    from: "if (looks.includes('hidden')) throw",
    to: 'if (false) throw',
    tests: ['unit/publish/answers-of-null'],
  },
  {
    file: 'shared/read/schema.ts',
    what: 'a constraint on an id together with another property is taken for one on the id',
    from: 'all.length === 2 && ',
    to: '',
    tests: ['integration/packet.trusts-no-earlier-request'],
  },
  {
    file: 'shared/read/queries.ts',
    what: 'an id that moves to another node during the search for shared ids fails the publish',
    from: 'if (row.boolean()) shared.push(value)',
    to: 'if (row.boolean() || true) shared.push(value)',
    tests: ['integration/packet.churning-origin'],
  },
  {
    file: 'shared/read/hub.ts',
    what: 'a part of the relationships of a node with very many is not published',
    from: 'for (let part = 0; part < parts; part++)',
    to: 'for (let part = 1; part < parts; part++)',
    tests: ['integration/packet.hubs-in-parts'],
  },
  {
    file: 'shared/read/hub.ts',
    what: 'parallel relationships beyond one read are published once for each read',
    from: 'isOpen: end < ids.length',
    to: 'isOpen: false',
    tests: ['integration/packet.parallel-relationships'],
  },
  {
    file: 'shared/read/selection.ts',
    what: 'a node that has got the internal id of a selected one, or lost its label, is published',
    from: '`${eachNode} WITH n WHERE ${text}${passes}`',
    to: '`${eachNode} WITH n${passes}`',
    tests: ['integration/packet.selected'],
  },
  {
    file: 'shared/read/selection.ts',
    what: 'a node with two selected labels is listed twice',
    from: '...(found ? [`NOT ${found.text}`] : []),',
    to: '',
    tests: ['integration/packet.selected'],
  },
]
