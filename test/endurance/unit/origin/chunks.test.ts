import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Origin, openOrigin } from '../../../../shared/origin/connect.ts'
import { bytesOf, type FakeBolt, fakeBolt, inChunks, type Reply } from '../../../support/origins/fake-bolt.ts'
import { readRows } from '../../../support/origins/read-rows.ts'

const credentials = `Basic ${btoa('user:password')}`

const open = ({ port }: FakeBolt, limits = {}): Promise<Origin> =>
  openOrigin(
    { dbUrl: `bolt://127.0.0.1:${port}`, credentials },
    {
      allow: [{ kind: 'network', address: '127.0.0.1', prefix: 32, family: 'ipv4', port }],
      port,
      silenceSeconds: 60,
      stallSeconds: 60,
      dnsServers: null,
      ...limits,
    },
    60,
  )

const mebibyte = 1024 * 1024
const noop = Buffer.alloc(2)
const end: Reply = { success: { has_more: false } }
const broke = { status: 502, code: 'originBroke' }
/** The same byte repeated, each in a chunk of its own. */
const drops = inChunks(Buffer.alloc(100_000, 0x01), 1).subarray(0, -2)

/** Sends these bytes repeatedly, with backpressure, until the connection closes. */
const keepSending = (bytes: Buffer, everyMs: number) => (socket: Socket) => {
  const sending = setInterval(() => {
    if (socket.destroyed) clearInterval(sending)
    else if (!socket.writableNeedDrain) socket.write(bytes)
  }, everyMs)
}

/** The most CPU time, in seconds, that this thread takes from one turn of its timers to the next. */
let blockedSeconds = 0
let stopWatching = () => {}
beforeEach(() => {
  blockedSeconds = 0
  let last = process.threadCpuUsage()
  const watch = () => {
    const { user, system } = process.threadCpuUsage(last)
    blockedSeconds = Math.max(blockedSeconds, (user + system) / 1e6)
    last = process.threadCpuUsage()
  }
  const watching = setInterval(watch, 10)
  stopWatching = () => {
    clearInterval(watching)
    watch()
  }
})
afterEach(() => {
  stopWatching()
  expect(blockedSeconds).toBeLessThan(3)
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('an origin that sends one-byte chunks', () => {
  test('one-byte chunks of an origin are read without blocking the event loop', { timeout: 120_000 }, async () => {
    const text = 'x'.repeat(180_000)
    const server = await fakeBolt(() => [{ record: [text, 1] }, end], { padding: text }, { chunkBytes: 1 })
    const origin = await open(server)
    expect(await readRows(origin, 'RETURN 1')).toEqual([[text, 1n]])
    await origin.close()
  })

  test('an origin of endless one-byte chunks is abandoned during the handshake', { timeout: 120_000 }, async () => {
    const server = await fakeBolt(() => [], {}, { onHello: keepSending(drops, 1) })
    await expect(open(server)).rejects.toMatchObject({ status: 502, code: 'originUnreachable' })
    expect(server.bytesSent()).toBeLessThan(64 * mebibyte)
  })

  test('an origin that sends an endless record in one-byte chunks is abandoned', { timeout: 120_000 }, async () => {
    function* endless(): Generator<Reply> {
      yield { bytes: Buffer.from([0, 2, 0xb1, 0x71]) }
      for (;;) yield { bytes: drops }
    }
    const server = await fakeBolt(endless)
    const origin = await open(server)
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broke)
    await origin.close()
  })

  test('chunks appended to the handshake response are rejected unread', { timeout: 120_000 }, async () => {
    const hello = { success: { server: 'Neo4j/4.4.0', connection_id: 'fake', padding: 'x'.repeat(30_000) } }
    const server = await fakeBolt(() => [], {}, { afterHandshake: inChunks(Buffer.from(JSON.stringify(hello)), 1) })
    await expect(open(server)).rejects.toMatchObject({ status: 502, code: 'originUnreachable' })
  })
})

test('a record of very many values does not block the event loop for long', { timeout: 120_000 }, async () => {
  const list = Array.from({ length: 300_000 }, () => 'x')
  const server = await fakeBolt(() => [{ record: [list] }, end])
  const origin = await open(server)
  expect(await readRows(origin, 'RETURN 1')).toEqual([[list]])
  await origin.close()
})

describe('an origin that returns more than fits in memory', () => {
  const text = 'x'.repeat(8 * mebibyte)
  const row: Reply = { bytes: bytesOf({ record: [text] }) }

  test('a result that does not fit in memory is abandoned if rows are collected', { timeout: 120_000 }, async () => {
    const server = await fakeBolt(function* () {
      for (;;) yield row
    })
    const origin = await open(server)
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broke)
    await expect(origin.ask('RETURN 1')).resolves.toBeNull()
    await origin.close()
  })

  const packed = (count: number, marker: number) => {
    const list = Buffer.alloc(count + 5, marker)
    list[0] = 0xd6
    list.writeUInt32BE(count, 1)
    return inChunks(Buffer.concat([Buffer.from([0xb1, 0x71, 0x91]), list]))
  }

  test.each([
    ['a list of millions of integers', 20_000_000, 0x01],
    ['lists of thousands of maps', 60_000, 0xa0],
  ])('a result that does not fit in memory is abandoned: %s', { timeout: 120_000 }, async (_what, count, marker) => {
    // Other tests leave garbage in this process.
    collectGarbage()
    const record: Reply = { bytes: packed(count, marker) }
    const server = await fakeBolt(function* () {
      for (;;) yield record
    })
    const origin = await open(server)
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broke)
    expect(process.memoryUsage().heapUsed).toBeLessThan(1_500 * mebibyte)
    await origin.close()
  })

  test('a result that does not fit in memory is read if rows are streamed', { timeout: 120_000 }, async () => {
    const server = await fakeBolt(function* () {
      for (let count = 0; count < 50; count++) yield row
      yield end
    })
    const origin = await open(server)
    let bytes = 0
    await origin.each('RETURN 1', {}, (row) => {
      bytes += row.string()
    })
    expect(bytes).toBe(50 * text.length)
    await origin.close()
  })
})

describe('an origin that keeps its connection alive without sending data', () => {
  test.each([
    ['with empty chunks', [0, 0]],
    ['with bytes of a record', [0, 1, 0]],
  ])('keeping a connection alive %s does not outlast the stall timeout', { timeout: 60_000 }, async (_what, bytes) => {
    const server = await fakeBolt(
      () => [{ record: ['one'] }],
      {},
      { afterReplies: keepSending(Buffer.from(bytes), 200) },
    )
    const origin = await open(server, { silenceSeconds: 2, stallSeconds: 5 })
    const began = performance.now()
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broke)
    expect(performance.now() - began).toBeGreaterThan(3_000)
    await origin.close()
  })

  test('keeping a connection alive during the handshake is abandoned as well', { timeout: 60_000 }, async () => {
    const server = await fakeBolt(() => [], {}, { onHello: keepSending(noop, 200) })
    const code = 'originUnreachable'
    await expect(open(server, { silenceSeconds: 2, stallSeconds: 3 })).rejects.toMatchObject({ code })
  })

  test('a connection kept alive outlasts the silence timeout, not the stall timeout', { timeout: 60_000 }, async () => {
    const late = (socket: Socket) => {
      keepSending(noop, 200)(socket)
      setTimeout(() => socket.write(inChunks(Buffer.from([0xb1, 0x70, 0xa0]))), 4_000)
    }
    const server = await fakeBolt(() => [{ record: ['one'] }], {}, { afterReplies: late })
    const origin = await open(server, { silenceSeconds: 2, stallSeconds: 30 })
    expect(await readRows(origin, 'RETURN 1')).toEqual([['one']])
    await origin.close()
  })
})
