import type { Socket } from 'node:net'
import { listenOn } from './hostile-origins.ts'

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

/** What the server says next: a record, or the end of an answer. */
export type Reply = { record: readonly Value[] } | { success: { [key: string]: Value } } | { failure: string }

export interface FakeBolt {
  port: number
  connections(): number
  /** The texts of the queries it was asked. */
  queries: string[]
}

/**
 * A server that speaks as much of Bolt 4.4 as a driver needs to begin, and then says what a test wants: to what no
 * database does. @param answer the replies to a PULL of the query; without an end it is sent as fast as it is taken.
 */
export async function fakeBolt(
  answer: (query: string) => Iterable<Reply>,
  hello: { [key: string]: Value } = {},
): Promise<FakeBolt> {
  const queries: string[] = []
  const { port, connections } = await listenOn('127.0.0.1', (socket) => {
    let read = Buffer.alloc(0)
    let hasShaken = false
    let query = ''
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk])
      if (!hasShaken && read.length >= 20) {
        hasShaken = true
        read = read.subarray(20)
        socket.write(Buffer.from([0, 0, 4, 4]))
      }
      for (let message = hasShaken ? take() : null; message; message = take()) reply(message)
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
      if (signature === 0x02) return void socket.end()
      if (signature === 0x10) {
        query = textAt(message, 2)
        queries.push(query)
        return say(socket, { success: { fields: ['row'], t_first: 1 } })
      }
      if (signature !== 0x3f) {
        return say(socket, {
          success: signature === 0x01 ? { server: 'Neo4j/4.4.0', connection_id: 'fake', ...hello } : {},
        })
      }
      sayAll(socket, answer(query)[Symbol.iterator]())
    }
  })
  return { port, connections, queries }
}

/** As fast as they are taken, some hundred at a time. */
function sayAll(socket: Socket, replies: Iterator<Reply>): void {
  const batch = Array.from({ length: 500 }, () => replies.next())
  const said = batch.flatMap(({ done, value }) => (done ? [] : [bytesOf(value)]))
  if (said.length === 0 || socket.destroyed) return
  socket.write(Buffer.concat(said), () => setImmediate(() => sayAll(socket, replies)))
}

function say(socket: Socket, reply: Reply): void {
  if (!socket.destroyed) socket.write(bytesOf(reply))
}

function bytesOf(reply: Reply): Buffer {
  if ('record' in reply) return chunked(0x71, reply.record)
  if ('success' in reply) return chunked(0x70, reply.success)
  return chunked(0x7f, { code: reply.failure, message: 'so it was told to say' })
}

function chunked(signature: number, value: Value): Buffer {
  const bytes = Buffer.concat([Buffer.from([0xb1, signature]), packed(value)])
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 0xffff) {
    const chunk = bytes.subarray(at, at + 0xffff)
    chunks.push(Buffer.from([chunk.length >> 8, chunk.length & 0xff]), chunk)
  }
  return Buffer.concat([...chunks, Buffer.from([0, 0])])
}

/** PackStream, with 32-bit sizes whatever is in it. */
function packed(value: Value): Buffer {
  const sized = (marker: number, size: number) => {
    const head = Buffer.alloc(5, marker)
    head.writeUInt32BE(size, 1)
    return head
  }
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

/** A string of a message, whatever size its length is written in. */
function textAt(message: Buffer, at: number): string {
  const marker = message[at] as number
  if (marker >= 0x80 && marker <= 0x8f) return message.toString('utf8', at + 1, at + 1 + (marker & 0x0f))
  const bytes = 2 ** (marker - 0xd0)
  const size = message.readUIntBE(at + 1, bytes)
  return message.toString('utf8', at + 1 + bytes, at + 1 + bytes + size)
}
