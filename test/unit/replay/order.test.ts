import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Batch, batchesOf, halvesOf } from '../../../client/replay/order/batches.ts'
import { hashOf } from '../../../client/replay/order/node-hashes.ts'
import { overRows } from '../../../client/replay/order/over-rows.ts'
import type { PackedItem } from '../../../client/replay/order/packed.ts'
import { runItems } from '../../../client/replay/run/run-window.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import { cleanup, itemsWith, nodeDelete, nodeUpsert, relationshipDelete, relationshipUpsert } from './items.ts'

const hashesOf = (items: readonly PackedItem[]) => items.map(({ nodes }) => nodes)
const idsOf = ({ parameters }: PackedItem) => parameters?.ids as unknown[]
const grouped = (text: string) => overRows(recognise(text) as Recognised)

describe('the query over rows', () => {
  test('parameters become elements of a row, in both syntaxes', () => {
    const expected =
      'UNWIND $rows AS row MERGE (n:`P` {`id`: row[0]}) SET n = {`at`: date(row[1]), `id`: row[0]} RETURN count(*)'
    expect(grouped('MERGE (n:`P` {`id`: $id}) SET n = {`at`: date($at), `id`: $id}')).toBe(expected)
    expect(grouped('MERGE (n:`P` {`id`: {id}}) SET n = {`at`: date({at}), `id`: {id}}')).toBe(expected)
  })

  test('what looks like a parameter inside a quoted identifier is unchanged', () => {
    expect(grouped('MERGE (n:`$a` {`{id}`: $id}) SET n = {`tick``$b``{c}`: $p_0, `{id}`: $p_1}')).toBe(
      'UNWIND $rows AS row MERGE (n:`$a` {`{id}`: row[0]}) SET n = {`tick``$b``{c}`: row[1], `{id}`: row[2]} RETURN count(*)',
    )
  })

  test('a clause that binds a list keeps the row in scope', () => {
    const text =
      'WITH [x IN $ids_0 | date(x)] AS ids_0 MATCH (n:`P` {`id`: $baseId})-[r:`T`]->(m) WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false) DELETE r'
    expect(grouped(text)).toBe(
      'UNWIND $rows AS row WITH row, [x IN row[1] | date(x)] AS ids_0 MATCH (n:`P` {`id`: row[0]})-[r:`T`]->(m) WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false) DELETE r RETURN count(*)',
    )
  })
})

describe('batches', () => {
  test('batches hold items of one text, up to a number of rows, in their order', () => {
    const [ofP, ofQ] = ['P', 'Q'].map((label) => [1, 2, 3, 4, 5].flatMap((id) => nodeUpsert(id, label)))
    const mixed = ofP?.flatMap((item, at) => [item, ofQ?.[at] as PackedItem]) ?? []
    const expected = [ofP, ofQ].flatMap((all) => [all?.slice(0, 2), all?.slice(2, 4), all?.slice(4)])
    expect(batchesOf(mixed, 2).map(({ items }) => items)).toEqual(expected)
  })

  test('batches hold up to 4 MiB; a larger pair is alone', () => {
    const items = [1_500_000, 1_500_000, 1_500_000, 9_000_000, 10].flatMap((length) => nodeUpsert('x'.repeat(length)))
    expect(batchesOf(items, 1_000).map((batch) => batch.items.length)).toEqual([2, 1, 1, 1])
  })

  test('a node delete of many ids becomes several, which together delete the same', () => {
    const ids = Array.from({ length: 1_201 }, (_, index) => `p${index}`)
    const batches = batchesOf(nodeDelete(ids), 1_000)
    expect(batches.map((batch) => batch.items.length)).toEqual([1, 1, 1])
    const items = batches.flatMap((batch) => batch.items)
    expect(items.map((item) => idsOf(item).length)).toEqual([500, 500, 201])
    expect(items.flatMap(idsOf)).toEqual(ids)
  })

  test('batches of a few rows hold fewer ids of a node delete', () => {
    const batches = batchesOf(nodeDelete([1, 2, 3, 4, 5]), 4)
    expect(batches.map((batch) => batch.items.map(idsOf))).toEqual([[[1, 2]], [[3, 4]], [[5]]])
    expect(batchesOf(nodeDelete([1, 2]), 1)).toHaveLength(2)
  })

  test('a delete of many relationships becomes several, which together delete the same', () => {
    const ends = Array.from({ length: 25 }, (_, index) => [`p${index}`, 'q'])
    const batches = batchesOf([...relationshipDelete(ends.slice(0, 21)), ...relationshipDelete(ends.slice(21))], 10)
    const lists = batches.map((batch) => batch.items.flatMap((item) => item.parameters?.ends as unknown[]))
    expect(lists.map((list) => list.length)).toEqual([10, 10, 5])
    expect(lists.flat()).toEqual(ends)
    expect(halvesOf(batches[0] as Batch<PackedItem>)).toHaveLength(2)
  })

  test('a share of a node delete leaves alone what the whole does', () => {
    const text = 'MATCH (n:`P`) WHERE n.`id` IN $ids AND NOT coalesce(n:`Q` AND n.`q` = $kept_0, false) DETACH DELETE n'
    const items = batchesOf(itemsWith(text, { ids: [1, 2], kept_0: 'k' }), 1).flatMap((batch) => batch.items)
    expect(items.map((item) => item.parameters)).toEqual([1, 2].map((id) => ({ ids: [id], kept_0: 'k' })))
  })

  test('batches are cut in half, down to one item', () => {
    const [batch] = batchesOf(
      [1, 2, 3].flatMap((id) => nodeUpsert(id)),
      10,
    ) as [Batch<PackedItem>]
    expect(halvesOf(batch).map(({ items }) => items.length)).toEqual([2, 1])
  })
})

describe('the nodes of a pair', () => {
  test('ids have one hash if a database takes them as equal', () => {
    expect(hashesOf(nodeUpsert(5n))).toEqual(hashesOf(nodeUpsert(5)))
    expect(hashesOf(nodeUpsert([5n, 6]))).toEqual(hashesOf(nodeUpsert([5, 6n])))
    expect(hashesOf(nodeUpsert(9_007_199_254_740_993n))).not.toEqual(hashesOf(nodeUpsert(9_007_199_254_740_992n)))
    expect(hashesOf(nodeUpsert('p1'))).toEqual(hashesOf(cleanup('p1')))
    expect(hashesOf(nodeUpsert('p2'))).not.toEqual(hashesOf(nodeUpsert('p1')))
    expect(hashesOf(relationshipUpsert('p1', 'p2'))).toEqual([
      [...(hashesOf(nodeUpsert('p1'))[0] ?? []), ...(hashesOf(nodeUpsert('p2'))[0] ?? [])],
    ])
  })

  test('ids are spread evenly over buckets', () => {
    const counts = new Map<number, number>()
    for (let at = 0; at < 8_000; at++) {
      const bucket = hashOf(`p${String(at).padStart(7, '0')}`) % 8
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150)
  })
})

const create = 'MATCH (a:`P` {`id`: $startId}) MATCH (b:`P` {`id`: $endId}) MERGE (a)-[:`T`]->(b)'
const anyItems = fc
  .array(
    fc.oneof(
      fc.nat(9).map((id) => nodeUpsert(id)),
      fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => relationshipUpsert(a, b)),
      fc.tuple(fc.nat(9), fc.nat(9)).map(([startId, endId]) => itemsWith(create, { startId, endId })),
      fc.nat(9).map((id) => cleanup(id)),
      fc.nat(9).map((id) => nodeDelete([id + 100])),
      fc.nat(9).map((id) => relationshipDelete([[id, id + 1]])),
      fc.nat(9).map((id) => itemsWith('MATCH (n:`P` {`id`: $id}) REMOVE n.`a`', { id })),
    ),
    { maxLength: 60 },
  )
  .map((all) => all.flat())

const orderOfKinds = [
  ...['nodeDelete', 'nodeUpsert deleteProperties relationshipUpsert', 'relationshipCreate', 'cleanup'],
  'relationshipDelete',
]
const phaseOf = (kind: string) => orderOfKinds.findIndex((kinds) => kinds.includes(kind))

test('kinds run in phases, each item once, and batches that run at the same time touch no common node', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyItems,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.scheduler(),
      async (items, lanes, batchRows, scheduler) => {
        const seen: PackedItem[] = []
        const under: Batch<PackedItem>[] = []
        let phase = 0
        const all = runItems(items, { lanes, batchRows }, async (batch) => {
          const own = phaseOf(batch.recognised.kind)
          expect(own).toBeGreaterThanOrEqual(phase)
          phase = own
          const nodes = new Set(hashesOf(batch.items).flat())
          for (const other of under) {
            expect(phaseOf(other.recognised.kind)).toBe(own)
            expect(
              hashesOf(other.items)
                .flat()
                .filter((node) => nodes.has(node)),
            ).toEqual([])
            expect(batch.recognised.kind).not.toMatch(/^(node|relationship)Delete$/)
          }
          under.push(batch)
          await scheduler.schedule(Promise.resolve())
          under.splice(under.indexOf(batch), 1)
          seen.push(...batch.items)
        })
        await scheduler.waitFor(all)
        expect(seen.length).toBe(items.length)
        expect(new Set(seen)).toEqual(new Set(items))
      },
    ),
    { numRuns: 500 },
  )
})
