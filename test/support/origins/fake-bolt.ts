import type { Socket } from 'node:net'
import { knownQuery } from '../../../packet/read-back/known-answers.ts'
import { listenOn } from './hostile-origins.ts'

/** A buffer is a value that is encoded already. */
type Value = null | string | number | boolean | Buffer | readonly Value[] | { readonly [key: string]: Value }

/** One server reply: a record, a summary, or raw bytes. */
export type Reply =
  | { record: readonly Value[] }
  | { success: { [key: string]: Value } }
  | { failure: string; message?: string }
  | { bytes: Buffer }

export interface FakeBolt {
  port: number
  connections(): number
  /** The texts of the queries received so far, but not of the one with which every origin is checked. */
  queries: string[]
  /** The messages received so far. */
  messages: Buffer[]
  /** Number of bytes sent or queued for sending. */
  bytesSent(): number
}

interface Manners {
  /** Maximum chunk size. */
  chunkBytes?: number
  /** The answer to the handshake: a version, or a list of versions of which the client chooses one. */
  handshake?: Buffer
  /** Sent immediately after the handshake response. */
  afterHandshake?: Buffer
  /** False: `answer` gives also the replies to the query with which every origin is checked. */
  isSupported?: boolean
  /** Receives the socket instead of replying to the first message. */
  onHello?: (socket: Socket) => void
  /** Receives the socket once all replies to a PULL are sent. */
  afterReplies?: (socket: Socket) => void
}

/**
 * A server that implements enough of Bolt 4.4 for a driver to connect, then sends what a test wants, even invalid data.
 * @param answer the replies to a PULL of the query; an infinite iterable is sent as fast as it is read.
 */
export async function fakeBolt(
  answer: (query: string) => Iterable<Reply>,
  hello: { [key: string]: Value } = {},
  {
    chunkBytes = 0xffff,
    handshake = Buffer.from([0, 0, 4, 4]),
    afterHandshake = Buffer.alloc(0),
    isSupported = true,
    onHello,
    afterReplies,
  }: Manners = {},
): Promise<FakeBolt> {
  const queries: string[] = []
  const messages: Buffer[] = []
  const sockets: Socket[] = []
  const { port, connections } = await listenOn('127.0.0.1', (socket) => {
    sockets.push(socket)
    let read = Buffer.alloc(0)
    let hasShaken = false
    // A client that has received a list sends the version that it chooses, and its capabilities.
    let choiceBytes = handshake.readUInt16BE(2) === 0x01ff ? 5 : 0
    let query = ''
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk])
      if (!hasShaken && read.length >= 20) {
        hasShaken = true
        read = read.subarray(20)
        socket.write(Buffer.concat([handshake, afterHandshake]))
      }
      if (hasShaken && read.length >= choiceBytes) {
        read = read.subarray(choiceBytes)
        choiceBytes = 0
      }
      for (let message = hasShaken && choiceBytes === 0 ? take() : null; message; message = take()) reply(message)
    })

    function take(): Buffer | null {
      const parts: Buffer[] = []
      for (let at = 0; at + 2 <= read.length; ) {
        const size = read.readUInt16BE(at)
        if (at + 2 + size > read.length) return null
        parts.push(read.subarray(at + 2, at + 2 + size))
        at += 2 + size
        if (size > 0) continue
        read = read.subarray(at)
        return Buffer.concat(parts)
      }
      return null
    }

    function reply(message: Buffer) {
      const signature = message[1]
      messages.push(message)
      if (signature === 0x02) return void socket.end()
      if (signature === 0x10) {
        query = textAt(message, 2)
        if (query !== knownQuery) queries.push(query)
        return say({ success: { fields: ['row'], t_first: 1 } })
      }
      if (signature === 0x01) {
        if (onHello) return void onHello(socket)
        return say({ success: { server: 'Neo4j/4.4.0', connection_id: 'fake', ...hello } })
      }
      if (signature !== 0x3f) return say({ success: {} })
      if (query === knownQuery && isSupported) return void socket.write(knownReplies())
      sayAll(answer(query)[Symbol.iterator]())
    }

    function say(reply: Reply): void {
      if (!socket.destroyed) socket.write(bytesOf(reply, chunkBytes))
    }

    /** Sends with backpressure, in batches of at most 500 replies or about one mebibyte. */
    function sayAll(replies: Iterator<Reply>): void {
      const said: Buffer[] = []
      for (let count = 0, bytes = 0; count < 500 && bytes < 1024 * 1024; count++) {
        const { done, value } = replies.next()
        if (done) break
        const one = bytesOf(value, chunkBytes)
        bytes += one.length
        said.push(one)
      }
      if (socket.destroyed) return
      if (said.length === 0) return void afterReplies?.(socket)
      socket.write(Buffer.concat(said), () => setImmediate(() => sayAll(replies)))
    }
  })
  return {
    port,
    connections,
    queries,
    messages,
    bytesSent: () => sockets.reduce((sum, it) => sum + it.bytesWritten, 0),
  }
}

const point = () => Buffer.concat([Buffer.from([0xb3, 0x58]), ...[4326, 1.5, 2.5].map(packed)])

/** The values with which a supported database answers the query that checks every origin. */
export const knownValues = (): Value[] => [...[null, point(), 7, [1, 'two', null], { a: 7 }], [{ a: 7, z: null }, true]]

const knownReplies = () =>
  Buffer.concat([bytesOf({ record: knownValues() }), bytesOf({ success: { has_more: false } })])

/** The encoded form of a reply. */
export function bytesOf(reply: Reply, chunkBytes = 0xffff): Buffer {
  if ('bytes' in reply) return reply.bytes
  if ('record' in reply) return inChunks(messageOf(0x71, reply.record), chunkBytes)
  if ('success' in reply) return inChunks(messageOf(0x70, reply.success), chunkBytes)
  return inChunks(
    messageOf(0x7f, { code: reply.failure, message: reply.message ?? 'so it was told to say' }),
    chunkBytes,
  )
}

const messageOf = (signature: number, value: Value) => Buffer.concat([Buffer.from([0xb1, signature]), packed(value)])

/** Splits a message into chunks of at most that size, each prefixed by its length, followed by an empty chunk. */
export function inChunks(message: Buffer, chunkBytes = 0xffff): Buffer {
  const count = Math.ceil(message.length / chunkBytes)
  const bytes = Buffer.alloc(message.length + 2 * count + 2)
  for (let index = 0; index < count; index++) {
    const chunk = message.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    const at = index * (chunkBytes + 2)
    bytes.writeUInt16BE(chunk.length, at)
    chunk.copy(bytes, at + 2)
  }
  return bytes
}

/** Encodes PackStream, always with 32-bit sizes. */
function packed(value: Value): Buffer {
  const sized = (marker: number, size: number) => {
    const head = Buffer.alloc(5, marker)
    head.writeUInt32BE(size, 1)
    return head
  }
  if (value === null) return Buffer.from([0xc0])
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, Number.isInteger(value) ? 0xcb : 0xc1)
    if (Number.isInteger(value)) bytes.writeBigInt64BE(BigInt(value), 1)
    else bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (typeof value === 'string') return Buffer.concat([sized(0xd2, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([sized(0xd6, value.length), ...value.map(packed)])
  const entries = Object.entries(value)
  return Buffer.concat([sized(0xda, entries.length), ...entries.flatMap(([key, one]) => [packed(key), packed(one)])])
}

/** Decodes a string at an offset, for any size of its length field. */
function textAt(message: Buffer, at: number): string {
  const marker = message[at] as number
  if (marker >= 0x80 && marker <= 0x8f) return message.toString('utf8', at + 1, at + 1 + (marker & 0x0f))
  const bytes = 2 ** (marker - 0xd0)
  const size = message.readUIntBE(at + 1, bytes)
  return message.toString('utf8', at + 1 + bytes, at + 1 + bytes + size)
}
