import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type Driver, Neo4jError } from 'neo4j-driver'
import { isWhole, UnknownBoltVersion } from './handshake-answer.ts'

/** Private parts of the driver, whose version package.json pins. If they are missing, each connection fails. */
interface Internals {
  _getOrCreateConnectionProvider(): { _createChannelConnection(address: unknown): Promise<unknown> }
}

/**
 * Bytes of a handshake, with room for all versions that a server lists. Beyond this limit the connection closes with
 * `502 originUnreachable`.
 */
const longestHandshakeBytes = 1024

/** What the server of a new connection has answered. */
interface Handshake {
  answer?: Buffer
}

const handshakes = new AsyncLocalStorage<Handshake>()
subscribe('net.client.socket', (message) => {
  const handshake = handshakes.getStore()
  if (handshake) receiveWhole((message as { socket: Socket }).socket, handshake)
})

/** How the driver reports an answer that names no version which it speaks. */
const unknownVersion = /^Unknown Bolt protocol version: /

/**
 * Passes the answer of a server to the handshake to a new driver in one piece: the driver reads only the first piece
 * that arrives, and throws a RangeError if it is incomplete. Refuses a longer answer. An answer that names no version
 * which the driver speaks ends the connection with UnknownBoltVersion.
 */
export function receiveHandshakesWhole(driver: Driver): void {
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  const create = provider._createChannelConnection.bind(provider)
  provider._createChannelConnection = (address) => {
    const handshake: Handshake = {}
    return handshakes
      .run(handshake, () => create(address))
      .catch((error) => {
        const isUnknown = error instanceof Neo4jError && unknownVersion.test(error.message)
        throw isUnknown && handshake.answer ? new UnknownBoltVersion(handshake.answer) : error
      })
  }
}

function receiveWhole(socket: Socket, handshake: Handshake): void {
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
    handshake.answer = held
    return push.call(socket, held, encoding)
  }
}
