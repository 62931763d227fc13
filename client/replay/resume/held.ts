import type { Place } from '../../../packet/parts/parse-part.ts'
import type { Connection } from '../run/connection.ts'
import type { PacketSource } from '../source/load-part.ts'
import { type WindowSettings, windowsOf } from '../source/windows.ts'
import { createReader, type ReaderSettings } from '../verify/reader.ts'
import type { State } from './resume.ts'

/** Parts done, and the pairs of these parts that the target refused. */
type Done = Pick<State, 'done' | 'rejected'>

export const nothingDone: Done = { done: [], rejected: [] }

/** Only the parts before the first part that is not done: a replay may have put off the pairs of that one. */
export function inSequence({ done, rejected }: Done): Done {
  const all = new Set(done)
  let last = 0
  while (all.has(last + 1)) last++
  return { done: done.filter((number) => number <= last), rejected: rejected.filter(({ part }) => part <= last) }
}

/**
 * Checks that the target still holds the parts done: an undo, another packet or a restore may have changed it since.
 * @param onHeld receives the number of parts found so far.
 * @returns the parts before the first part in which a pair, other than a refused one, would change anything. The replay
 * continues from that part, which keeps the order of parts where it matters.
 */
export async function partsHeld(
  connection: Connection,
  source: PacketSource,
  { done, rejected }: Done,
  settings: WindowSettings & ReaderSettings,
  onHeld: (parts: number) => void,
): Promise<Done> {
  const refused = new Set(rejected.map(placeText))
  const read = createReader(connection, settings)
  const held = new Set<number>()
  const heldOnly = () => ({ done: [...held], rejected: rejected.filter(({ part }) => held.has(part)) })
  const indexes = done.map((number) => number - 1)
  for await (const window of windowsOf(source, indexes, settings)) {
    const differing = new Set<number>()
    const items = window.flatMap((part) => part.items).filter(({ place }) => !refused.has(placeText(place)))
    await read(items, (_batch, found) => {
      for (const { item } of found) differing.add(item.place.part)
    })
    for (const { number } of window) {
      if (differing.has(number)) return heldOnly()
      held.add(number)
    }
    onHeld(held.size)
  }
  return heldOnly()
}

const placeText = ({ part, pair }: Place): string => `${part} ${pair}`
