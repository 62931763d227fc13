import { randomUUID } from 'node:crypto'
import type { Transaction } from 'neo4j-driver'
import { quote } from '../../../packet/cypher/identifiers.ts'
import { markerLabel } from '../../../packet/state/marker-label.ts'
import { ReplayError } from '../errors.ts'
import { allRows } from '../preflight/queries.ts'
import { type Connection, inSession } from '../run/connection.ts'
import { uninterfered } from '../run/retry.ts'
import type { Held } from './held.ts'

/** A marker, which a target keeps for a chain of packets. */
export interface Marker extends Held {
  /** Random, so that a marker is told apart from one of another target, or of an earlier time. */
  origin: string
  /** How many replays have begun. Each transaction of a replay checks that no other one has begun since. */
  counter: bigint
}

const node = `(m:${quote(markerLabel)})`
const setHeld = 'm.root = $root, m.packet = $packet, m.state = $state, m.to = $to'

/** The markers of a target. */
export async function readMarkers(connection: Connection, signal: AbortSignal): Promise<Marker[]> {
  const rows = await allRows(connection, `MATCH ${node} RETURN properties(m) AS m`, {}, signal)
  return rows.flatMap(({ m }) => {
    const { origin, counter, root, packet, state = null, to = null } = m as Record<string, unknown>
    const isText = [origin, root, packet].every((one) => typeof one === 'string')
    return isText && typeof counter === 'bigint' ? [{ origin, counter, root, packet, state, to } as Marker] : []
  })
}

/** Makes a marker. @throws ReplayError `refused` if another replay makes one of the same chain at the same time */
export async function createMarker(connection: Connection, held: Held, signal: AbortSignal): Promise<Marker> {
  const marker: Marker = { ...held, origin: randomUUID(), counter: 1n }
  const query = `CREATE ${node} SET m.origin = $origin, m.counter = $counter, ${setHeld}`
  await allRows(connection, query, { ...marker }, signal)
  const others = await readMarkers(connection, signal)
  if (others.filter(({ root }) => root === held.root).length === 1) return marker
  await removeMarker(connection, marker, signal)
  throw another(held.packet, 'refused')
}

/**
 * Notes in a marker that a replay begins.
 * @throws ReplayError `refused` if another replay has begun since the marker was read
 */
export async function claimMarker(
  connection: Connection,
  { origin, counter, packet }: Marker,
  held: Held,
  signal: AbortSignal,
): Promise<Marker> {
  const next = counter + 1n
  // The first SET locks the node, so that the counter is read after any other replay has committed its own.
  const query = `MATCH ${node} WHERE m.origin = $origin SET m.run = $run WITH m WHERE m.counter = $counter SET m.counter = $next, ${setHeld} RETURN m.counter`
  const parameters = { origin, counter, next, run: randomUUID(), ...held }
  await uninterfered(signal, () =>
    inSession(connection, async (session) => {
      const transaction = await session.beginTransaction()
      try {
        const { records } = await transaction.run(query, parameters)
        if (records.length !== 1) throw another(packet, 'refused')
        await transaction.commit()
      } finally {
        await transaction.close()
      }
    }),
  )
  return { ...held, origin, counter: next }
}

/** Notes that a replay has ended. @throws ReplayError `failed` if another replay has begun since */
export async function endMarker(
  connection: Connection,
  { origin, counter, packet }: Marker,
  held: Held | null,
  signal: AbortSignal,
): Promise<void> {
  const found = `MATCH ${node} WHERE m.origin = $origin AND m.counter = $counter`
  const query = held === null ? `${found} DELETE m` : `${found} SET ${setHeld}`
  const [row] = await allRows(connection, `${query} RETURN count(*) AS count`, { origin, counter, ...held }, signal)
  if (row?.count !== 1n) throw another(packet, 'failed')
}

const removeMarker = (connection: Connection, { origin }: Marker, signal: AbortSignal) =>
  allRows(connection, `MATCH ${node} WHERE m.origin = $origin DELETE m`, { origin }, signal)

/**
 * Checks in a transaction, when it has the locks of all that it writes, that no other replay has begun: so nothing is
 * written after what that replay writes.
 * @throws ReplayError `failed`
 */
export async function checkMarker(transaction: Transaction, { origin, counter, packet }: Marker): Promise<void> {
  const query = `MATCH ${node} WHERE m.origin = $origin AND m.counter = $counter RETURN count(m) AS count`
  const { records } = await transaction.run(query, { origin, counter })
  if (records[0]?.get('count') !== 1n) throw another(packet, 'failed')
}

const another = (packet: string, kind: 'refused' | 'failed') =>
  new ReplayError(kind, `another replay on ${packet} has begun at the target; begin again when it has ended`)
