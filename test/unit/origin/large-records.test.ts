import { expect, test } from 'vitest'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createMessageReader } from '../../../shared/origin/messages.ts'
import { fakeBolt, inChunks, type Reply } from '../../support/fake-bolt.ts'

const end: Reply = { success: { has_more: false } }
const mebibyte = 1024 * 1024
const large = 'x'.repeat(129 * mebibyte)
/** More than all that may be held. */
const larger = 'x'.repeat(300 * mebibyte)

const open = (port: number) =>
  openOrigin(
    { dbUrl: `bolt://127.0.0.1:${port}`, credentials: `Basic ${btoa('user:password')}` },
    {
      allow: [{ kind: 'network', address: '127.0.0.1', prefix: 32, family: 'ipv4', port }],
      ports: [port],
      silenceSeconds: 60,
      stallSeconds: 60,
      dnsServers: null,
    },
    60,
  )

test('a dropped message is not held, and its end tells its size; the next ones are read', () => {
  const [taken, dropped]: [number[], number[]] = [[], []]
  const read = createMessageReader({
    limitBytes: () => 10,
    take: (message) => taken.push(message.length),
    drop: (tag) => (tag === 7 ? (bytes) => dropped.push(bytes) : null),
  })
  const message = (bytes: number, tag: number) => inChunks(Buffer.alloc(bytes, tag), 4)
  const wire = Buffer.concat([message(9, 7), message(35, 7), message(3, 1), message(11, 7), message(10, 1)])
  for (let at = 0; at < wire.length; at += 3) read(wire.subarray(at, at + 3))
  expect([taken, dropped]).toEqual([
    [9, 3, 10],
    [35, 11],
  ])
  expect(() => read(message(11, 1))).toThrow('a message is larger than 10 bytes')
})

test('a read of bounded size whose record is too large to be held is abandoned, and the connection goes on', {
  timeout: 60_000,
}, async () => {
  const server = await fakeBolt((query) =>
    query === 'small' ? [{ record: [[[1], [2]]] }, end] : [{ record: [[[1]]] }, { record: [[[larger]]] }, end],
  )
  const origin = await open(server.port)
  const grouped = { areGrouped: true }
  const { rows, rowBytes, largestBytes } = await origin.rowsWithin(24 * mebibyte, 'large', {}, grouped)
  expect(rows).toBeNull()
  expect(rowBytes).toBeGreaterThan(150 * mebibyte)
  expect(largestBytes).toBeGreaterThan(300 * mebibyte)
  expect((await origin.rowsWithin(24 * mebibyte, 'small', {}, grouped)).rows).toEqual([[1n], [2n]])
  expect(server.connections()).toBe(1)
  await origin.close()
})

test('no other read goes on without such a record', { timeout: 60_000 }, async () => {
  const server = await fakeBolt(() => [{ record: [[large]] }, end])
  const broke = { status: 502, code: 'originBroke' }
  for (const alone of [true, false]) {
    for (const way of ['rows', 'each', 'read'] as const) {
      const origin = await open(server.port)
      const bounded = alone ? null : origin.rowsWithin(1, 'bounded').catch(() => null)
      const rest = { rows: origin.rows, each: () => origin.each('each', {}, () => {}), read: () => readAll(origin) }
      await expect(rest[way]('rows')).rejects.toMatchObject(broke)
      await origin.close()
      await bounded
    }
  }
})

async function readAll(origin: Awaited<ReturnType<typeof open>>) {
  for await (const _ of origin.read('read'));
}
