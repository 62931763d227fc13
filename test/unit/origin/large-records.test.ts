import { expect, test } from 'vitest'
import { fakeBolt, inChunks, type Reply } from '../../support/origins/fake-bolt.ts'
import { openLocal } from '../../support/origins/open-local.ts'
import { readRows } from '../../support/origins/read-rows.ts'

const end: Reply = { success: { has_more: false } }
const mebibyte = 1024 * 1024
const broke = { status: 502, code: 'originBroke' }

test('a read of bounded size whose rows take more is abandoned, and the connection stays usable', async () => {
  const large = 'x'.repeat(mebibyte)
  const server = await fakeBolt((query) =>
    query === 'small' ? [{ record: [1] }, { record: [2] }, end] : [...Array(40).fill({ record: [large] }), end],
  )
  const origin = await openLocal(server.port)
  const { rows, rowBytes } = await origin.rows('large', {}, 24 * mebibyte)
  expect(rows).toBeNull()
  // With the head of the record and of the text.
  expect(rowBytes).toBe(mebibyte + 12)
  expect(await readRows(origin, 'small')).toEqual([[1n], [2n]])
  expect((await origin.rows('large', {}, 41 * mebibyte)).rows?.length).toBe(40)
  expect(server.connections()).toBe(1)
  await origin.close()
})

test('a read without a limit of its own breaks the origin that sends more than the longest record', {
  timeout: 60_000,
}, async () => {
  const large = 'x'.repeat(50 * mebibyte)
  const server = await fakeBolt(() => [...Array(3).fill({ record: [large] }), end])
  const origin = await openLocal(server.port)
  await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broke)
  await origin.close()
})

test('no read accepts a record that is larger than the longest', { timeout: 60_000 }, async () => {
  const larger = 'x'.repeat(129 * mebibyte)
  const server = await fakeBolt(() => [{ record: [larger] }, end])
  for (const way of ['rows', 'bounded', 'each'] as const) {
    const origin = await openLocal(server.port)
    const reads = {
      rows: () => origin.rows('rows', {}),
      bounded: () => origin.rows('bounded', {}, 24 * mebibyte),
      each: () => origin.each('each', {}, () => {}),
    }
    await expect(reads[way]()).rejects.toMatchObject(broke)
    await origin.close()
  }
})

/** A message with this tag, of a map whose only value is a list of so many values of a byte. */
const messageOf = (tag: number, values: number) => {
  const head = Buffer.from([0xb1, tag, 0xa1, 0x81, 0x61, 0xd6, 0, 0, 0, 0])
  head.writeUInt32BE(values, 6)
  return inChunks(Buffer.concat([head, Buffer.alloc(values, 0x01)]))
}

test('a message that is no record is refused if it has more than 10,000 values', async () => {
  const [few, many] = [9_990, 10_001].map((values) => ({ bytes: messageOf(0x70, values) }))
  const origin = await openLocal((await fakeBolt(() => [few as Reply])).port)
  expect(await readRows(origin, 'RETURN 1')).toEqual([])
  await origin.close()
  const refused = await openLocal((await fakeBolt(() => [many as Reply])).port)
  await expect(refused.rows('RETURN 1', {})).rejects.toMatchObject(broke)
  await refused.close()
})

test('a message that is no record is refused if it nests without end', async () => {
  const nested = Buffer.concat([Buffer.from([0xb1, 0x70, 0xa1, 0x81, 0x61]), Buffer.alloc(900_000, 0x91), Buffer.of(1)])
  const server = await fakeBolt(() => [{ bytes: inChunks(nested) }])
  const origin = await openLocal(server.port)
  await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broke)
  await origin.close()
})

test('a record is refused whose bytes are no list of columns', async () => {
  const record = inChunks(Buffer.from([0xb1, 0x71, 0xd6, 0xff, 0xff, 0xff, 0xff, 1]))
  const server = await fakeBolt(() => [{ bytes: record }, end])
  const origin = await openLocal(server.port)
  await expect(origin.each('RETURN 1', {}, () => {})).rejects.toMatchObject(broke)
  await origin.close()
})
