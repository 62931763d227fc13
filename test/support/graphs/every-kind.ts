import { cleanup } from '../../../packet/kinds/cleanup.ts'
import { deleteProperties } from '../../../packet/kinds/delete-properties.ts'
import { nodeDelete } from '../../../packet/kinds/node-delete.ts'
import { nodeUpsert } from '../../../packet/kinds/node-upsert.ts'
import { postbackNode, postbackRelationship } from '../../../packet/kinds/postback.ts'
import { relationshipCreate } from '../../../packet/kinds/relationship-create.ts'
import { relationshipDelete } from '../../../packet/kinds/relationship-delete.ts'
import { relationshipUpsert } from '../../../packet/kinds/relationship-upsert.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { pairOfStatement } from '../replay/replaying.ts'

const plain = { wrap: null, list: false }
const field = (key: string) => ({ key, value: plain })

/** Two parts with every kind of pair, about nodes with this label; the second is about nodes that the first has made. */
export function everyKind(label: string): [Pair[], Pair[]] {
  const anchor = { label, idProperty: 'id', id: plain }
  const ends = { start: anchor, type: 'KNOWS', end: anchor }
  const fields = [field('id'), field('name')]
  const upsert = nodeUpsert(anchor, fields, { protectedKeys: ['secret'], added: ['Good'], removed: ['Bad'] })
  const far = { by: 'farEnd', direction: 'out', label, idProperty: 'id', id: plain } as const
  return [
    [
      pairOfStatement(upsert, { id: 'a', name: 'Ann' }),
      pairOfStatement(upsert, { id: 'b', name: 'Bob' }),
      pairOfStatement(relationshipUpsert(ends, [field('since')], ['note'], null), { a_id: 'a', b_id: 'b', since: 1n }),
      pairOfStatement(relationshipUpsert({ ...ends, type: 'PAID' }, [field('grn')], [], 'grn'), {
        a_id: 'a',
        b_id: 'b',
        grn: 'g1',
      }),
      pairOfStatement(relationshipUpsert({ ...ends, type: 'PAID' }, [field('grn')], [], 'grn'), {
        a_id: 'a',
        b_id: 'b',
        grn: 'g2',
      }),
    ],
    [
      pairOfStatement(relationshipCreate({ ...ends, type: 'LIKES' }), { startId: 'a', endId: 'b' }),
      pairOfStatement(relationshipCreate({ ...ends, type: 'LIKES' }), { startId: 'a', endId: 'nobody' }),
      pairOfStatement(cleanup(anchor, { type: 'KNOWS', direction: 'out' }, [far]), { baseId: 'a', ids_0: ['b'] }),
      pairOfStatement(cleanup(anchor, { type: 'OLD', direction: 'both' }, []), { baseId: 'a' }),
      pairOfStatement(deleteProperties(anchor, ['old', 'older']), { id: 'a' }),
      pairOfStatement(nodeDelete(anchor, plain), { ids: ['x', 'y', 'z'] }),
      pairOfStatement(postbackNode(anchor, field('name')), { id: 'b', name: 'Bob' }),
      pairOfStatement(postbackRelationship(ends, null, field('since')), { a_id: 'a', b_id: 'b', since: 1n }),
      pairOfStatement(postbackRelationship({ ...ends, type: 'PAID' }, field('grn'), field('grn2')), {
        a_id: 'a',
        b_id: 'b',
        grn: 'nowhere',
        grn2: 1n,
      }),
      pairOfStatement(nodeDelete(anchor, plain, [anchor]), { ids: ['b', 'w2'], kept_0: 'b' }),
      pairOfStatement(nodeDelete({ ...anchor, idProperty: 'words' }, { wrap: null, list: true }), {
        ids: [['x', 'y'], []],
      }),
      pairOfStatement(relationshipDelete(ends, null), {
        ends: [
          ['b', 'a'],
          ['a', 'nobody'],
        ],
      }),
      pairOfStatement(relationshipDelete({ ...ends, type: 'PAID' }, field('grn')), {
        ends: [
          ['a', 'b', 'g3'],
          ['b', 'a', 'g1'],
        ],
      }),
    ],
  ]
}
