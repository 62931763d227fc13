import { itemOf } from '../../../client/replay/order/batches.ts'
import { type PackedItem, packPart } from '../../../client/replay/order/packed.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import { recognise } from '../../../packet/recognise.ts'

/** The items of a pair with this statement. `pair` is its number in its part, of which it is the last pair. */
export function itemsWith(statement: string, parameters: Record<string, unknown>, pair = 1): PackedItem[] {
  const recognised = recognise(statement)
  if (recognised === null) throw new Error(`not recognised: ${statement}`)
  const items = [itemOf(parameters, { part: 1, pair }, recognised)]
  const others = Array.from({ length: pair - 1 }, () => ({ statement: 'another pair', parameters: {} }))
  const statements = [...others, { statement, parameters }]
  return packPart({ number: 1, sha256: '', items, mapped: [] }, Buffer.from(stringifyLossless({ statements }))).items
}

export const nodeUpsert = (id: unknown, label = 'P', pair = 1) =>
  itemsWith(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id}`, { id }, pair)

export const relationshipUpsert = (a: unknown, b: unknown, pair = 2) =>
  itemsWith(
    'MERGE (a:`P` {`id`: $a_id}) MERGE (b:`P` {`id`: $b_id}) MERGE (a)-[r:`T`]->(b) SET r = {}',
    {
      a_id: a,
      b_id: b,
    },
    pair,
  )

export const cleanup = (id: unknown, pair = 1) =>
  itemsWith('MATCH (n:`P` {`id`: $baseId})-[r:`T`]->() DELETE r', { baseId: id }, pair)

export const nodeDelete = (ids: unknown[], pair = 1) =>
  itemsWith('MATCH (n:`P`) WHERE n.`id` IN $ids DETACH DELETE n', { ids }, pair)

export const relationshipDelete = (ends: unknown[][], pair = 1) =>
  itemsWith(
    'UNWIND $ends AS x MATCH (a:`P` {`id`: x[0]}) MATCH (b:`P` {`id`: x[1]}) OPTIONAL MATCH (a)-[r:`T`]->(b) DELETE r',
    { ends },
    pair,
  )
