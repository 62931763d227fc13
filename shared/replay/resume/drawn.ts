import { ReplayError } from '../errors.ts'
import { batchesOf, type Item } from '../order/batches.ts'
import type { Connection } from '../run/connection.ts'
import { describePair } from '../run/describe-pair.ts'
import { uninterfered } from '../run/retry.ts'
import { type LoadSettings, loadPart, readPart } from '../source/load-part.ts'
import type { PacketSource } from '../source/packet-source.ts'
import { differencesOf } from '../verify/read-back.ts'
import type { State } from './state-file.ts'

const [mostParts, pairsDrawn] = [4, 100]

export interface DrawSettings extends LoadSettings {
  inOrder: boolean
}

/**
 * Draws a hundred upserts that were not refused from a few of the parts done, and looks for them at the target, which
 * may have been emptied or restored meanwhile. @throws ReplayError `refused` if one is not in place.
 */
export async function checkDrawn(
  connection: Connection,
  source: PacketSource,
  { done, rejected }: Pick<State, 'done' | 'rejected'>,
  settings: DrawSettings,
  signal: AbortSignal,
): Promise<void> {
  const parts = drawn(done, mostParts)
  for (const number of parts) {
    const stored = await readPart(source, number - 1, signal)
    const { items } = loadPart(source, number - 1, stored, settings)
    const refused = new Set(rejected.filter(({ part }) => part === number).map(({ pair }) => pair))
    // Where the order of the packet matters, a later sub-request may have deleted the relationships of an earlier one.
    const kinds = settings.inOrder ? ['nodeUpsert'] : ['nodeUpsert', 'relationshipUpsert']
    const upserts = items.filter(({ recognised: { kind } }) => kinds.includes(kind))
    const replayed = upserts.filter(({ place }) => !refused.has(place.pair))
    const absent = await firstAbsent(connection, drawn(replayed, pairsDrawn / parts.length), signal)
    if (absent !== null) throw emptied(absent)
  }
}

/** The first upsert that the target does not have; others may have changed its properties. */
async function firstAbsent(connection: Connection, items: readonly Item[], signal: AbortSignal): Promise<Item | null> {
  for (const batch of batchesOf(items, pairsDrawn)) {
    const found = await uninterfered(signal, () => differencesOf(connection, batch, 0))
    const absent = found.find(({ kind }) => kind === 'missingNode' || kind === 'missingRelationship')
    if (absent) return absent.item
  }
  return null
}

function emptied({ place, recognised, pair }: Item): ReplayError {
  const which = `part ${place.part}, pair ${place.pair} (${describePair(recognised, pair.parameters)})`
  const since = 'is not in the target any more, which must have been emptied or restored since'
  return new ReplayError('refused', `${which} was replayed, but ${since}; pass --restart to begin anew`)
}

/** Some items, at random, each at most once. */
function drawn<T>(items: readonly T[], count: number): T[] {
  const rest = [...items]
  return Array.from(
    { length: Math.min(count, items.length) },
    () => rest.splice(Math.floor(Math.random() * rest.length), 1)[0] as T,
  )
}
