import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startDividingProxy } from '../../support/faults/dividing-proxy.ts'
import { fakeBolt, type Reply } from '../../support/origins/fake-bolt.ts'
import { listenOn } from '../../support/origins/hostile-origins.ts'
import { openLocal } from '../../support/origins/open-local.ts'
import { readRows } from '../../support/origins/read-rows.ts'

/** TCP may divide an answer at any byte. The driver reads only the first piece of an answer to the handshake. */

const end: Reply = { success: { has_more: false } }
const answer = (): Reply[] => [{ record: [1, 'a'] }, { record: [2, 'b'.repeat(40)] }, end]
const rows = [
  [1n, 'a'],
  [2n, 'b'.repeat(40)],
]

const version = Buffer.from([0, 0, 4, 4])
const count = (size: number) =>
  [...Buffer.from([size & 0x7f, size >> 7])].map((byte, at) => (at === 0 ? byte | 0x80 : byte))
const list = Buffer.from([0, 0, 1, 0xff, 2, 0, 0, 9, 9, 0, 2, 4, 4, 0])
const longList = Buffer.from([0, 0, 1, 0xff, ...count(130), ...Array(130).fill([0, 2, 4, 4]).flat(), 0x81, 0])

/** The answer of a server in two pieces, and the rest of its answers in pieces of the same sizes. */
const divisions = (size: number) => Array.from({ length: size - 1 }, (_, index) => index + 1)

describe.each([
  ['a version', version, divisions(4)],
  ['a list of versions', list, divisions(list.length)],
  ['a long list of versions', longList, [1, 4, 5, 6, 7, 300, longList.length - 2, longList.length - 1]],
])('%s', (what, handshake, sizes) => {
  test.each(sizes)(`${what} divided after byte %i opens the origin`, async (size) => {
    const server = await fakeBolt(answer, {}, { handshake })
    const divided = await startDividingProxy(`bolt://127.0.0.1:${server.port}`, (at) => (at < size ? size : 1e9))
    afterAll(() => divided.close())
    const origin = await openLocal(Number(new URL(divided.boltUrl).port))
    expect(await readRows(origin, 'RETURN 1')).toEqual(rows)
    await origin.close()
  })
})

test('an origin whose answers arrive byte by byte is read', async () => {
  const server = await fakeBolt(answer, {}, { handshake: list })
  const divided = await startDividingProxy(`bolt://127.0.0.1:${server.port}`, (at) => at + 1)
  afterAll(() => divided.close())
  const origin = await openLocal(Number(new URL(divided.boltUrl).port))
  expect(await readRows(origin, 'RETURN 1')).toEqual(rows)
  await origin.close()
})

describe('an incomplete answer to the handshake', () => {
  const beginnings = [version, list].flatMap((whole) => divisions(whole.length).map((size) => whole.subarray(0, size)))
  // The first four bytes of a list are no version.
  const incomplete = [Buffer.alloc(0), ...beginnings]
  const unreachable = { status: 502, code: 'originUnreachable' }

  test.each(incomplete.map((bytes) => [bytes.toString('hex'), bytes] as const))(
    'an origin that closes the connection after %s is unreachable',
    async (_hex, bytes) => {
      const { port } = await listenOn('127.0.0.1', (socket) => void socket.once('data', () => socket.end(bytes)))
      await expect(openLocal(port)).rejects.toMatchObject(unreachable)
    },
  )

  test('an origin that falls silent in an answer to the handshake is unreachable', async () => {
    const { port } = await listenOn(
      '127.0.0.1',
      (socket) => void socket.once('data', () => socket.write(list.subarray(0, 9))),
    )
    await expect(openLocal(port, 1)).rejects.toMatchObject(unreachable)
  })

  test('an origin whose answer to the handshake never ends is unreachable', async () => {
    let sent = 0
    async function keepSending(socket: Socket) {
      socket.write(list.subarray(0, 4))
      for (; !socket.destroyed && sent < 100_000; sent += 100) {
        socket.write(Buffer.alloc(100, 0xff))
        await delay(1)
      }
    }
    const { port } = await listenOn('127.0.0.1', (socket) => void socket.once('data', () => keepSending(socket)))
    await expect(openLocal(port)).rejects.toMatchObject(unreachable)
    expect(sent).toBeLessThan(100_000)
  })
})
