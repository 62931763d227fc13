import { expect, test, vi } from 'vitest'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import type { PacketWriter } from '../../../packet/parts/packet-writer.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { Properties, readProperties, sourceOf } from '../../../shared/origin/properties.ts'
import type { Rows } from '../../../shared/origin/rows.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { RelationshipUpserts } from '../../../shared/publish/pairs/relationship-upserts.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import { RelationshipBatch } from '../../../shared/publish/write/relationship-batch.ts'
import type { WriteContext } from '../../../shared/publish/write/request-context.ts'
import type { InternalId } from '../../../shared/read/internal-ids.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { propertiesOf, rowsOf } from '../../support/origins/packstream.ts'
import { only } from '../../support/values/only.ts'
import { request } from '../valid-request.ts'

const end = (id: InternalId) => {
  return { label: 'Person', idProperty: 'id', id: renderValue(String(id)) ?? expect.unreachable() }
}

/** A batch, and the parameters of the pairs that it writes. */
function openBatch() {
  const written: Record<string, unknown>[] = []
  const add: PacketWriter['add'] = (bytes) => {
    written.push(JSON.parse(`${bytes}null}`).parameters)
    return undefined
  }
  const plan = planOf(parsePublishRequest(request({ relationships: ['KNOWS'] })).request)
  const pairs = createPairMaker('dollar')
  const context = only<WriteContext>({
    plan,
    pairs,
    relationshipUpserts: new RelationshipUpserts(plan, pairs, null),
    writer: only<PacketWriter>({ add, updateMetadata: () => {} }),
    report: createReport(),
    stamp: null,
    observer: undefined,
  })
  return { batch: new RelationshipBatch(context), written }
}

const ends = (a: InternalId, b: InternalId) => ({ start: end(a), type: 'KNOWS', end: end(b) })

/** The number of pairs written of one relationship between each two nodes, given by their internal ids. */
async function pairsBetween(all: readonly (readonly [InternalId, InternalId])[]): Promise<number> {
  const { batch, written } = openBatch()
  const nothing = propertiesOf({})
  for (const [at, [a, b]] of all.entries()) batch.add(at, [a, b], ends(a, b), nothing)
  await batch.write()
  return written.length
}

test('only relationships between the same nodes in the same direction collapse, however large internal ids are', async () => {
  const ids = [0, 1, 2, 2 ** 26 - 1, 2 ** 26, 2 ** 26 + 1, 2 ** 27, 2 ** 52, String(2n ** 60n), String(2n ** 60n + 1n)]
  const between = ids.flatMap((a) => ids.map((b) => [a, b] as const))
  expect(await pairsBetween([...between, ...between])).toBe(between.length)
})

test('of parallel relationships the one whose internal id is smallest as text is written, in any order', async () => {
  const all = [30, 4, 2 ** 40, String(2n ** 60n), 100].map((id) => [id, propertiesOf({ id: String(id) })] as const)
  for (const order of [all, all.toReversed(), [...all.slice(2), ...all.slice(0, 2)]]) {
    const { batch, written } = openBatch()
    for (const [id, properties] of order) batch.add(id, [1, 2], ends(1, 2), properties)
    await batch.write()
    expect(written).toEqual([{ a_id: '1', b_id: '2', id: '100' }])
  }
})

const shapes = new Shapes()

/** Reads maps of properties, like relationships that are read together. */
function readAll(rows: Rows): Properties[] {
  const [source, cursor] = [sourceOf(rows), originCursor()]
  return Array.from({ length: rows.length }, (_, index) => {
    cursor.openRecord(rows.bytes, rows.start(index), rows.end(index))
    return readProperties(cursor, shapes, source)
  })
}

test('a batch of a group that stays open writes what it has read, although the rows are released and reused', async () => {
  const { batch, written } = openBatch()
  const expected: unknown[] = []
  for (let group = 0; group < 5; group++) {
    const values = [
      { at: BigInt(group), text: `x${group}`.repeat(50) },
      {},
      { list: [1n, 2n ** 60n], no: null, ok: true },
    ]
    const asJson = [{ at: group, text: `x${group}`.repeat(50) }, {}, { list: [1, String(2n ** 60n)], ok: true }]
    const rows = rowsOf(values.map((one) => [one]))
    for (const [index, properties] of readAll(rows).entries()) {
      const a = 100 * group + index
      batch.add(a, [a, 1], ends(a, 1), properties)
      expected.push({ a_id: String(a), b_id: '1', ...asJson[index] })
    }
    batch.detach()
    rows.bytes.fill(0xff)
    rows.release()
  }
  await batch.write()
  expect(written).toEqual(expected)
})

test('a batch of a group that stays open copies each element once, and none that has collapsed', () => {
  const { batch } = openBatch()
  const copy = vi.spyOn(Properties.prototype, 'copy')
  for (let group = 0; group < 5; group++) {
    batch.add(2 * group + 1, [group, 10], ends(group, 10), propertiesOf({ at: BigInt(group) }))
    batch.add(2 * group, [group, 10], ends(group, 10), propertiesOf({ at: BigInt(group) }))
    batch.detach()
  }
  expect(copy).toHaveBeenCalledTimes(5)
  copy.mockRestore()
})
