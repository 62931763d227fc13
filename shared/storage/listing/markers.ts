import type { Generation } from '../generation-reader.ts'
import type { Generations } from '../generations.ts'
import { generationKey, markerKey } from '../keys.ts'
import type { ObjectStore } from '../object-store.ts'
import { type ListedPacket, packetsNamed } from './packet-order.ts'

/** Number of parts that readers see of a packet, 0 if it was removed. For packets without a marker. */
export async function shownParts(generations: Generations, { name, generation }: ListedPacket): Promise<number> {
  const seen = await generations.seenAt(name, generation)
  const shown = seen === 'gone' ? await generations.highest(name) : seen
  return shown?.manifest.parts.length ?? 0
}

/** Puts the marker of a packet that was committed. If there is a newer generation nobody reads it. */
export async function mark(store: ObjectStore, name: string, { generation, manifest }: Generation): Promise<void> {
  await store.put(markerKey(generationKey(name, generation), manifest.parts.length), Buffer.alloc(0))
}

/**
 * Puts a marker beside the latest generation, so that listings need not read its manifest. It only repeats what the
 * manifest says: it may arrive late, twice or never, and nothing else depends on it.
 */
export async function markLatest(store: ObjectStore, generations: Generations, name: string): Promise<void> {
  const packet = (await packetsNamed(store, [name])).get(name)
  if (packet === undefined || packet.parts !== null) return
  const seen = await generations.seenAt(name, packet.generation)
  if (seen === 'gone') return
  await store.put(markerKey(packet.manifestKey, seen?.manifest.parts.length ?? 0), Buffer.alloc(0))
}
