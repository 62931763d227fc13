import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type Driver, Neo4jError } from 'neo4j-driver'
import { UnknownBoltVersion } from './handshake-answer.ts'

/** Private parts of the driver, whose version package.json pins. If they are missing, each connection fails. */
interface Internals {
  _getOrCreateConnectionProvider(): { _createChannelConnection(address: unknown): Promise<BoltConnection> }
}

interface BoltConnection {
  _ch: { _conn: Socket }
  _handleFatalError(error: Error): void
  protocol(): OlderProtocol
}

interface RunSettings {
  txConfig?: { timeout: { toNumber(): number } | null }
  flush?: boolean
  afterComplete?: (...values: unknown[]) => void
  afterError?: (...values: unknown[]) => void
}

/** The driver's Bolt 1 and 2. Bolt 1 is Bolt 2 without dates and points. */
interface OlderProtocol {
  run(query: string, parameters: object, settings: RunSettings): unknown
  reset(settings: object): unknown
  _onLoginCompleted(metadata: unknown, token: unknown, onCompleted?: (metadata: unknown) => void): void
}

/** The versions that the second handshake offers: 2, 1, and twice none. */
const olderVersions = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
const preambleBytes = 4

const offersOlder = new AsyncLocalStorage<true>()
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket }
  // Not before, because `connect` restores the original method.
  if (offersOlder.getStore()) socket.once('connect', () => replaceVersions(socket))
})

/**
 * Lets a new driver speak Bolt 2 and 1 too, with Neo4j 3.4 and ONgDB 1.0. It still contains them, but offers nothing
 * below Bolt 3. To a server that takes none of its versions it connects once more, and offers these. Servers of Bolt 3
 * and later see no difference. Transactions have time limits, as with later versions: the driver closes the connection.
 */
export function speakOlderBolt(driver: Driver): void {
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  const create = provider._createChannelConnection.bind(provider)
  provider._createChannelConnection = async (address) => {
    try {
      return await create(address)
    } catch (refusal) {
      if (!(refusal instanceof UnknownBoltVersion && refusal.isRefusal)) throw refusal
      const connection = await offersOlder
        .run(true, () => create(address))
        // The first answer may list versions.
        .catch((error) => Promise.reject(error instanceof UnknownBoltVersion && error.isRefusal ? refusal : error))
      repair(connection)
      return connection
    }
  }
}

/** Replaces the versions in the handshake, which is the first write. */
function replaceVersions(socket: Socket): void {
  const { write } = socket
  socket.write = (...[handshake, ...others]: unknown[]) => {
    socket.write = write
    const preamble = (handshake as Buffer).subarray(0, preambleBytes)
    return write.call(socket, Buffer.concat([preamble, olderVersions]), ...(others as []))
  }
}

/** Repairs what the driver no longer does right in Bolt 1 and 2, and adds the time limits that these lack. */
function repair(connection: BoltConnection): void {
  const protocol = connection.protocol()
  const { _onLoginCompleted: onLoginCompleted, run, reset } = protocol
  const { _conn: socket } = connection._ch
  let timer: NodeJS.Timeout | undefined
  // A time limit may be hours away, and would keep the memory of a connection that has ended.
  socket.once('close', () => clearTimeout(timer))

  function limit(milliseconds: number) {
    clearTimeout(timer)
    if (milliseconds > 0 && !socket.destroyed) timer = setTimeout(end, milliseconds).unref()
  }

  function end() {
    connection._handleFatalError(
      new Neo4jError('a transaction reached its time limit', timedOut, '', '', undefined, undefined),
    )
    socket.destroy()
  }

  // The driver passes its callback where the token belongs.
  protocol._onLoginCompleted = (metadata, onCompleted) =>
    onLoginCompleted.call(protocol, metadata, undefined, onCompleted as () => void)

  protocol.run = (query, parameters, { txConfig, ...settings }) => {
    const isBegin = query === 'BEGIN'
    const milliseconds = txConfig?.timeout?.toNumber() ?? 0
    if (milliseconds > 0) limit(milliseconds)
    const isEnd = query === 'COMMIT' || query === 'ROLLBACK' || (milliseconds > 0 && !isBegin)
    const { afterComplete, afterError } = settings
    const ending: RunSettings = isEnd
      ? {
          afterComplete(...values) {
            clearTimeout(timer)
            afterComplete?.(...values)
          },
          afterError(...values) {
            clearTimeout(timer)
            afterError?.(...values)
          },
        }
      : {}
    // The driver waits for the answer to a BEGIN that it has not sent.
    const flushing: RunSettings = isBegin ? { flush: true } : {}
    return run.call(protocol, query, parameters, { ...settings, ...ending, ...flushing })
  }

  protocol.reset = (settings) => {
    clearTimeout(timer)
    return reset.call(protocol, settings)
  }
}

const timedOut = 'Neo.ClientError.Transaction.TransactionTimedOut'
