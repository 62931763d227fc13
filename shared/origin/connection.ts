import type { Socket } from 'node:net'
import { createMessageReader, tagAt } from './messages.ts'

interface ChannelBuffer {
  _buffer: Buffer
}

/** A driver connection after version negotiation. Includes private parts; if they are missing, it is not used. */
export interface BoltConnection {
  _ch: { onmessage: (buffer: ChannelBuffer) => void }
  protocol(): {
    initialized: boolean
    unpack(message: ChannelBuffer): unknown
    _responseHandler: { handleResponse(message: unknown): void }
  }
}

/** Callbacks for received data. */
interface Reception {
  /** @throws Error to refuse them */
  bytes(count: number): void
  /** Called with each message before it is decoded. @throws Error to refuse it */
  message(bytes: Uint8Array): void
  /** Called after each complete record. */
  record(): void
  /** Whether a record that is too large may be dropped; it may be larger than all that is held. */
  dropsRecord(): boolean
  /** Called after each reading: whether a message has begun that has not ended. */
  unfinished(isUnfinished: boolean): void
  /** Ends the connection. */
  refuse(reason: Error): void
}

/** Stands for a record that was too large to be held. */
export class DroppedRecord {
  readonly bytes: number
  constructor(bytes: number) {
    this.bytes = bytes
  }
}

const recordTag = 0x71
// More than twice the largest pair, 60 MiB.
const longestRecordBytes = 128 * 1024 * 1024
// More than eight of the largest: a record that is dropped takes no memory.
const longestDroppedBytes = 512 * 1024 * 1024
// Any other message: column names, errors, notifications.
const longestOtherBytes = 1024 * 1024
// Room for all versions that a server might list.
const longestHandshakeBytes = 1024

/**
 * Replaces the driver's own reader, whose time is quadratic in the number of chunks. Refuses a message that is too
 * large, data that is not a message, and more than `2 * longestRecordBytes` without a complete message, or
 * `longestDroppedBytes` of a record that is dropped.
 */
export function readByMessage(
  connection: BoltConnection,
  { bytes, message: inspect, record, dropsRecord, unfinished, refuse }: Reception,
): void {
  const protocol = connection.protocol()
  const handler = protocol._responseHandler
  let bytesOfMessage = 0
  let isDropping = false
  let DriverBuffer: new (bytes: Buffer) => ChannelBuffer

  const read = createMessageReader({
    limitBytes: (tag) => (tag === recordTag && protocol.initialized ? longestRecordBytes : longestOtherBytes),
    take(message) {
      const isRecord = message[tagAt] === recordTag
      inspect(message)
      handler.handleResponse(protocol.unpack(new DriverBuffer(message)))
      bytesOfMessage = 0
      if (isRecord) record()
    },
    drop(tag) {
      isDropping = tag === recordTag && protocol.initialized && dropsRecord()
      if (!isDropping) return null
      return (length) => {
        handler.handleResponse({ signature: recordTag, fields: [[new DroppedRecord(length)]] })
        bytesOfMessage = 0
        isDropping = false
        record()
      }
    },
  })

  if (typeof connection._ch.onmessage !== 'function')
    throw new Error('this version of the driver reads its connections in another way')
  connection._ch.onmessage = (buffer) => {
    DriverBuffer = buffer.constructor as typeof DriverBuffer
    const { length } = buffer._buffer
    bytesOfMessage += length
    try {
      if (!isDropping) bytes(length)
      if (bytesOfMessage > (isDropping ? longestDroppedBytes : 2 * longestRecordBytes))
        throw new Error(`${bytesOfMessage} bytes received without a complete message`)
      unfinished(read(buffer._buffer))
    } catch (error) {
      refuse(error as Error)
    }
  }
}

/** Limits the first data, a response of a few bytes: anything sent with it would reach the driver's own reader. */
export function limitHandshake(socket: Socket): void {
  const push = socket.push
  socket.push = (chunk, encoding) => {
    socket.push = push
    const isFit = chunk === null || chunk.length <= longestHandshakeBytes
    if (!isFit) socket.destroy(new Error(`a handshake is larger than ${longestHandshakeBytes} bytes`))
    return isFit && socket.push(chunk, encoding)
  }
}
