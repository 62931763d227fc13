import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { listenOn } from '../../support/origins/hostile-origins.ts'
import { openLocal } from '../../support/origins/open-local.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A server that answers each handshake with these bytes, whatever is offered. */
async function answering(answer: number[]) {
  const offers: string[] = []
  const { port } = await listenOn('127.0.0.1', (socket) => {
    socket.once('data', (bytes) => {
      offers.push(bytes.subarray(4, 20).toString('hex'))
      socket.end(Buffer.from(answer))
    })
  })
  return { offers, open: () => openLocal(port) }
}

const none = [0, 0, 0, 0]
const spoken = 'Bolt 1, 2, 3, 4.2 to 4.4, 5.0 to 5.8, 6.0 or 6.1'
const refusal = { code: 'noCommonBolt', status: 422, retryable: false }
const unreachable = {
  code: 'originUnreachable',
  status: 502,
  retryable: true,
  message: 'the origin database could not be reached',
}
const second = '00000002000000010000000000000000'

test('an origin that takes no offered version is offered Bolt 2 and 1, and refused if it takes none of these', async () => {
  const { offers, open } = await answering(none)
  await expect(open()).rejects.toMatchObject({ ...refusal, message: `dbUrl: the server does not speak ${spoken}` })
  expect(offers).toEqual([expect.any(String), second])
})

const list = (...versions: number[][]) => [0, 0, 1, 0xff, versions.length, ...versions.flat(), 0]
const later = [0, 0, 0, 9]

test.each([
  ['its only version', list([0, 0, 1, 7]), '7.1'],
  ['its versions', list([0, 2, 4, 7], [0, 0, 0, 8]), '7.2 to 7.4, 8.0'],
  ['ten of its versions', list(...Array(12).fill(later)), `${Array(10).fill('9.0').join(', ')}, 2 more`],
])('the refusal of an origin that lists only unknown versions names %s', async (_what, answer, named) => {
  const { offers, open } = await answering(answer)
  const message = `dbUrl: the server speaks Bolt ${named}, but not ${spoken}`
  await expect(open()).rejects.toMatchObject({ ...refusal, message })
  expect(offers).toEqual([expect.any(String), second])
})

test('an origin that lists no version at all is refused', async () => {
  const { open } = await answering(list())
  await expect(open()).rejects.toMatchObject({ ...refusal, message: `dbUrl: the server does not speak ${spoken}` })
})

// What listens at an address must not show: only a refusal is sure to be one of Bolt.
test.each([
  ['a version that was not offered', [0, 0, 9, 4], 'Bolt 4.9'],
  ['the greeting of another protocol', [...Buffer.from('SSH-2.0')], 'Bolt 45.72'],
  ['more than a refusal', [...none, 0], 'Bolt 0.0'],
])(
  'an origin that answers %s is unreachable like any other; the cause names the version',
  async (_what, answer, version) => {
    const { offers, open } = await answering(answer)
    await expect(open()).rejects.toMatchObject({
      ...unreachable,
      cause: { message: expect.stringContaining(`speaks ${version}, but not`) },
    })
    expect(offers).toHaveLength(1)
  },
)

const success = Buffer.from('0003b170a00000', 'hex')

/** A server that speaks Bolt 2 only, and answers each message with success. */
const speakingBolt2 = () =>
  listenOn('127.0.0.1', (socket) => {
    let read = Buffer.alloc(0)
    let isShaken = false
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk])
      if (!isShaken && read.length >= 20) {
        isShaken = true
        const offersOlder = read.readUInt32BE(4) === 2
        socket.write(Buffer.from([0, 0, 0, offersOlder ? 2 : 0]))
        if (!offersOlder) return void socket.end()
        read = read.subarray(20)
      }
      for (let at = 0; isShaken && at + 2 <= read.length; ) {
        const size = read.readUInt16BE(at)
        at += 2 + size
        if (size > 0) continue
        socket.write(success)
        read = read.subarray(at)
        at = 0
      }
    })
  })

test('the time limit of a transaction keeps no memory of a connection that has ended', async () => {
  const { port } = await speakingBolt2()
  const sockets: WeakRef<object>[] = []
  const note = (message: unknown) => void sockets.push(new WeakRef((message as { socket: object }).socket))
  subscribe('net.client.socket', note)
  // It answers the first query with no row, so it cannot be an origin.
  await expect(openLocal(port, 60, {}, 3_600)).rejects.toMatchObject({ code: 'wrongAnswers' })
  unsubscribe('net.client.socket', note)
  expect(sockets.length).toBeGreaterThan(1)
  const left = () => {
    collectGarbage()
    return sockets.filter((socket) => socket.deref() !== undefined).length
  }
  await expect.poll(left, { timeout: 10_000 }).toBe(0)
})
