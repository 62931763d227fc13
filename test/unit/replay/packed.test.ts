import fc from 'fast-check'
import { expect, test } from 'vitest'
import { itemOf } from '../../../client/replay/order/batches.ts'
import { type PackedPart, packedRowsOf, packPart } from '../../../client/replay/order/packed.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import { unpack } from './fake-connection.ts'

const anyValue = fc.oneof(
  fc.string(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
)
const nodeUpsert = 'MERGE (n:`P` {`id`: $id}) SET n = {`a`: $a, `id`: $id}'
const nodeDelete = 'MATCH (n:`P`) WHERE n.`id` IN $ids DETACH DELETE n'
const anyPair: fc.Arbitrary<Pair> = fc.oneof(
  fc
    .record({ a: anyValue, id: anyValue })
    .map((parameters) => ({ statement: nodeUpsert, parameters, metadata: { qa: {} } })),
  fc.array(fc.string()).map((ids) => ({ statement: nodeDelete, parameters: { ids }, metadata: null })),
)

function packed(number: number, pairs: readonly Pair[]): PackedPart {
  const items = pairs.map(({ statement, parameters }, at) =>
    itemOf(parameters, { part: number, pair: at + 1 }, recognise(statement) as Recognised),
  )
  return packPart({ number, sha256: '', items, mapped: [] }, Buffer.from(stringifyLossless({ statements: pairs })))
}

const rowOf = ({ statement, parameters }: Pair) =>
  statement === nodeDelete ? [parameters.ids] : [parameters.id, parameters.a]

test('rows of any items of several parts are the values of their pairs, which can be read again', () => {
  fc.assert(
    fc.property(fc.array(anyPair), fc.array(anyPair), fc.infiniteStream(fc.boolean()), (first, second, chosen) => {
      const parts = [packed(1, first), packed(2, second)]
      const pairs = [first, second]
      const items = parts.flatMap((part) => part.items).filter(() => chosen.next().value)
      const expected = items.map(({ place }) => rowOf(pairs[place.part - 1]?.[place.pair - 1] as Pair))
      expect(unpack(packedRowsOf(items))).toEqual(expected)
      expect(parts.map((part) => part.pairs())).toEqual(pairs)
    }),
  )
})
