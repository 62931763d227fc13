import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Driver } from 'neo4j-driver'

/** Private parts of the driver, whose version package.json pins. If they are missing, each connection fails. */
interface Internals {
  _getOrCreateConnectionProvider(): { _createChannelConnection(address: unknown): Promise<unknown> }
}

/**
 * Bytes of a handshake, with room for all versions that a server lists. Beyond it the connection closes with
 * `502 originUnreachable`.
 */
const longestHandshakeBytes = 1024

const isOfDriver = new AsyncLocalStorage<true>()
subscribe('net.client.socket', (message) => {
  if (isOfDriver.getStore()) receiveWhole((message as { socket: Socket }).socket)
})

/**
 * Passes the answer of a server to the handshake to a new driver in one piece: the driver reads only the first piece
 * that arrives, and throws a RangeError if it is incomplete. Refuses a longer answer.
 */
export function receiveHandshakesWhole(driver: Driver): void {
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  const create = provider._createChannelConnection.bind(provider)
  provider._createChannelConnection = (address) => isOfDriver.run(true, () => create(address))
}

function receiveWhole(socket: Socket): void {
  const { push } = socket
  let held: Buffer = Buffer.alloc(0)
  socket.push = (chunk, encoding) => {
    // The connection ends: the driver reports that, and nothing of an incomplete answer.
    if (chunk === null) return push.call(socket, null)
    held = Buffer.concat([held, chunk])
    if (held.length > longestHandshakeBytes) {
      socket.destroy(new Error(`a handshake is larger than ${longestHandshakeBytes} bytes`))
      return false
    }
    if (!isWhole(held)) return true
    socket.push = push
    return push.call(socket, held, encoding)
  }
}

const versionBytes = 4
/** The last bytes of the version that stands for a list: the number of versions, the versions, and the capabilities. */
const listFollows = 0x01ff

/** Whether nothing of an answer is missing: a version, or a list of versions. */
function isWhole(answer: Buffer): boolean {
  if (answer.length < versionBytes) return false
  if (answer.readUInt16BE(2) !== listFollows) return true
  const count = readNumber(answer, versionBytes)
  return count !== null && readNumber(answer, count.end + versionBytes * count.value) !== null
}

/** Reads a number of seven bits a byte, the lowest first; null if its last byte is missing. */
function readNumber(bytes: Buffer, start: number): { value: number; end: number } | null {
  let value = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return null
}
