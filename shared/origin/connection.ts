import type { Socket } from 'node:net'
import { createMessageReader, tagAt } from './messages.ts'

interface ChannelBuffer {
  _buffer: Buffer
}

/** A connection of the driver that has agreed on a version. Parts of it are not public; without them it is not used. */
export interface BoltConnection {
  _ch: { onmessage: (buffer: ChannelBuffer) => void }
  protocol(): {
    initialized: boolean
    unpack(message: ChannelBuffer): unknown
    _responseHandler: { handleResponse(message: unknown): void }
  }
}

/** Is told what comes. */
interface Reception {
  /** @throws Error to refuse them */
  bytes(count: number): void
  /** Gets each message before it becomes objects. @throws Error to refuse it */
  message(bytes: Uint8Array): void
  /** A whole record was taken. */
  record(): void
  /** Ends the connection. */
  refuse(reason: Error): void
}

const recordTag = 0x71
// A pair of 60 MiB, the largest there may be, is less than twice as large as a record.
const longestRecordBytes = 128 * 1024 * 1024
// The names of a result's columns, errors, notifications.
const longestOtherBytes = 1024 * 1024
// All versions that a server might name.
const longestHandshakeBytes = 1024

/**
 * Reads the connection's messages in place of the driver's own reader, whose time grows with the square of the chunks.
 * A message that is too large, or twice as many bytes that make none, are refused, and so is what is no message.
 */
export function readByMessage(connection: BoltConnection, { bytes, message: look, record, refuse }: Reception): void {
  const protocol = connection.protocol()
  const handler = protocol._responseHandler
  let bytesOfMessage = 0
  let DriverBuffer: new (bytes: Buffer) => ChannelBuffer

  const read = createMessageReader({
    limitBytes: (tag) => (tag === recordTag && protocol.initialized ? longestRecordBytes : longestOtherBytes),
    take(message) {
      const isRecord = message[tagAt] === recordTag
      look(message)
      handler.handleResponse(protocol.unpack(new DriverBuffer(message)))
      bytesOfMessage = 0
      if (isRecord) record()
    },
  })

  if (typeof connection._ch.onmessage !== 'function') throw new Error('the driver reads its connections otherwise')
  connection._ch.onmessage = (buffer) => {
    DriverBuffer = buffer.constructor as typeof DriverBuffer
    const { length } = buffer._buffer
    bytesOfMessage += length
    try {
      bytes(length)
      if (bytesOfMessage > 2 * longestRecordBytes) throw new Error(`${bytesOfMessage} bytes make no message`)
      read(buffer._buffer)
    } catch (error) {
      refuse(error as Error)
    }
  }
}

/** What comes first is an answer of a few bytes; whatever came with it the driver's own reader would get. */
export function limitHandshake(socket: Socket): void {
  const push = socket.push
  socket.push = (chunk, encoding) => {
    socket.push = push
    const isFit = chunk === null || chunk.length <= longestHandshakeBytes
    if (!isFit) socket.destroy(new Error(`a handshake is larger than ${longestHandshakeBytes} bytes`))
    return isFit && socket.push(chunk, encoding)
  }
}
