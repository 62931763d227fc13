import { createMessageReader, tagAt } from './messages.ts'
import { originCursor } from './origin-cursor.ts'

interface ChannelBuffer {
  _buffer: Buffer
}

/** A driver connection after version negotiation. Includes private parts; if they are missing, it is not used. */
export interface BoltConnection {
  _ch: { onmessage: (buffer: ChannelBuffer) => void }
  _notificationFilter: { minimumSeverityLevel: 'OFF' } | undefined
  protocol(): {
    version: { isGreaterOrEqualTo(version: { major: number; minor: number }): boolean }
    initialized: boolean
    unpack(message: ChannelBuffer): unknown
    _responseHandler: { handleResponse(message: unknown): void }
  }
}

/** Callbacks for received data. */
interface Reception {
  /** @throws Error to refuse them */
  bytes(count: number): void
  /** Called with the change, in bytes, of the memory that an incomplete message takes. @throws Error to refuse it */
  held(bytes: number): void
  /** Called before and after the delivery of each record. Its bytes are valid only between. */
  record(bytes: Buffer | null): void
  /** Called after each read, with whether a message is incomplete. */
  unfinished(isUnfinished: boolean): void
  /** Ends the connection. */
  refuse(reason: Error): void
}

/** Asks the server for no notifications, which nobody reads. The driver refuses to ask older versions of Bolt. */
export function refuseNotifications(connection: BoltConnection): void {
  if (connection.protocol().version.isGreaterOrEqualTo({ major: 5, minor: 2 }))
    connection._notificationFilter = { minimumSeverityLevel: 'OFF' }
}

const recordTag = 0x71
/**
 * Bytes of a record, or of one row that is read alone. Beyond this limit the connection closes with `502 originBroke`.
 * The largest pair has 60 MiB.
 */
export const longestRecordBytes = 128 * 1024 * 1024
/**
 * Bytes of any other message: column names, errors, notifications. Beyond this limit the connection closes with
 * `502 originBroke`.
 */
const longestOtherBytes = 1024 * 1024
/**
 * Values of any other message. Beyond this limit the connection closes with `502 originBroke`. A value of one byte may
 * become an object of a kilobyte.
 */
const mostOtherValues = 10_000
/**
 * Replaces the driver's own reader, whose time is quadratic in the number of chunks. Passes records to the driver
 * undecoded: the only field of each is the whole message. Refuses a message that is too large, data that is not a
 * message, and more than `2 * longestRecordBytes` without a complete message.
 * @returns a function that decodes one value, as the driver does
 */
export function readByMessage(
  connection: BoltConnection,
  { bytes, held, record, unfinished, refuse }: Reception,
): (value: Buffer) => unknown {
  const protocol = connection.protocol()
  const handler = protocol._responseHandler
  const cursor = originCursor()
  let bytesOfMessage = 0
  let DriverBuffer: new (bytes: Buffer) => ChannelBuffer

  const read = createMessageReader({
    limitBytes: (tag) => (tag === recordTag && protocol.initialized ? longestRecordBytes : longestOtherBytes),
    held,
    take(message) {
      bytesOfMessage = 0
      if (message[tagAt] === recordTag && protocol.initialized) {
        record(message)
        handler.handleResponse({ signature: recordTag, fields: [[message]] })
        record(null)
        return
      }
      if (cursor.open(message, 0, message.length).skip() > mostOtherValues)
        throw new Error(`a message has more than ${mostOtherValues} values`)
      handler.handleResponse(protocol.unpack(new DriverBuffer(message)))
    },
  })

  if (typeof connection._ch.onmessage !== 'function')
    throw new Error('this version of the driver reads its connections in another way')
  connection._ch.onmessage = (buffer) => {
    DriverBuffer = buffer.constructor as typeof DriverBuffer
    const { length } = buffer._buffer
    bytesOfMessage += length
    try {
      bytes(length)
      if (bytesOfMessage > 2 * longestRecordBytes)
        throw new Error(`${bytesOfMessage} bytes received without a complete message`)
      unfinished(read(buffer._buffer))
    } catch (error) {
      refuse(error as Error)
    }
  }
  return (value) => protocol.unpack(new DriverBuffer(value))
}
