import type { Transaction } from 'neo4j-driver'
import { ReplayError } from '../errors.ts'
import type { Connection } from '../run/connection.ts'
import type { PacketSource } from '../source/load-part.ts'
import { begun, describe, ended, fits, type Held, isOfChain, isToUndo, type Step, stepOf } from './held.ts'
import { checkMarker, claimMarker, createMarker, endMarker, type Marker, readMarkers } from './marker.ts'
import { openRecord, type Remembered } from './record.ts'

export interface GuardOptions {
  /** The file that remembers which states this client has replayed into the target; null: none. */
  recordFile?: string | null
  /** Whether the target shall keep a marker of its state. One that it has is kept up in any case. */
  record?: boolean
  /** Whether to replay a delta even if the target does not have its base. */
  ignoreBase?: boolean
}

/**
 * Finds out whether a target has the base of a packet, by its marker, or else by what this client remembers. Writes
 * nothing.
 * @returns null if the packet is not part of a chain
 * @throws ReplayError `refused` if neither shows it
 */
export async function openGuard(
  connection: Connection,
  source: PacketSource,
  { recordFile = null, record = false, ignoreBase = false }: GuardOptions,
  databaseId: string | null,
  signal: AbortSignal,
) {
  const step = stepOf(source)
  if (step === null) return null
  const markers = await readMarkers(connection, signal)
  const memory = await openRecord(recordFile, databaseId)
  const marked = choose(markers, step)
  const remembered = choose(memory.chains, step)
  const isMarkerLost = isLost(remembered, markers)
  const held: Held | null = marked ?? (isMarkerLost ? null : remembered)
  if (step.isUndo && held === null) return null
  if (step.base !== null && !step.isUndo && !ignoreBase) requireBase(step, held, isMarkerLost)
  let marker: Marker | null = null
  let now: Remembered | null = remembered

  async function remember(next: Held | null): Promise<void> {
    const after = next && { ...only(next), origin: marker?.origin ?? null }
    await memory.put(now, after)
    now = after
  }

  return {
    /** The state that the target has before the replay; null if it is not known. */
    before: held !== null && held.to === null ? held.state : null,

    /** Notes that the replay begins. Called before its first transaction. */
    async begin(): Promise<void> {
      const next = only(begun(held, step))
      if (marked !== null) marker = await claimMarker(connection, marked, next, signal)
      else if (record) marker = await createMarker(connection, next, signal)
      await remember(next)
    },

    /** Called in each transaction of the replay, after what it writes. */
    check: async (transaction: Transaction): Promise<void> => {
      if (marker !== null) await checkMarker(transaction, marker)
    },

    /** Notes that the target has all that the packet says. */
    async end(): Promise<void> {
      const next = ended(begun(held, step), step)
      if (marker !== null) await endMarker(connection, marker, next, signal)
      await remember(next)
    },
  }
}

export type Guard = NonNullable<Awaited<ReturnType<typeof openGuard>>>

const only = ({ root, packet, state, to }: Held): Held => ({ root, packet, state, to })

/** What is known of the chain that a packet belongs to. */
function choose<T extends Held>(all: readonly T[], step: Step): T | null {
  const isRight = step.base === null ? () => false : step.isUndo ? isToUndo : fits
  return all.find((one) => isRight(one, step)) ?? (step.isUndo ? null : all.find((one) => isOfChain(one, step))) ?? null
}

/** Whether the marker that the target had is gone: somebody has emptied, restored or replaced the target. */
const isLost = (remembered: Remembered | null, markers: readonly Marker[]): boolean =>
  remembered !== null && remembered.origin !== null && !markers.some(({ origin }) => origin === remembered.origin)

function requireBase(step: Step, held: Held | null, isMarkerLost: boolean): void {
  if (held !== null && fits(held, step)) return
  const { packet, state } = step.base as NonNullable<Step['base']>
  const needed = `${step.name} is a delta: the target must have the state ${state.slice(0, 12)} of ${packet}`
  const found =
    held !== null
      ? `it has ${describe(held)}`
      : isMarkerLost
        ? 'the marker that it had is gone'
        : 'nothing shows that it does'
  throw new ReplayError('refused', `${needed}, and ${found}; replay ${packet} first, or insist with --ignore-base`)
}
