import type { ObjectStore } from '../../store/object-store.ts'
import type { Generation, Generations } from '../generations.ts'
import { generationKey, markerKey } from '../keys.ts'
import { isVisible, unlessUnreadable } from '../manifest.ts'
import { type ListedPacket, packetsNamed } from './listed-packets.ts'

/**
 * What readers see of a packet: the number of parts, 0 if it was removed or has expired, and when it expires, absent if
 * it was removed.
 */
type Shown = { parts: number } & Pick<ListedPacket, 'expiresAt'>

/**
 * What readers see of a packet, from its marker or else from its manifest. If the manifest is unreadable, they see one
 * part. Reading that part fails, but the org's other files stay visible.
 */
export async function shownOf(generations: Generations, packet: ListedPacket): Promise<Shown> {
  const { parts, expiresAt } = packet
  return parts !== null ? { parts, expiresAt } : unlessUnreadable(readShown(generations, packet), () => ({ parts: 1 }))
}

async function readShown(generations: Generations, { name, generation }: ListedPacket): Promise<Shown> {
  const seen = await generations.seenAt(name, generation)
  const shown = seen === 'gone' ? await generations.highest(name) : seen
  const { manifest } = shown ?? {}
  return {
    parts: manifest && isVisible(manifest, generations.now()) ? manifest.parts.length : 0,
    expiresAt: manifest?.expiresAt,
  }
}

/** Puts the marker of a committed packet. If a newer generation exists, nobody reads the marker. */
export async function mark(store: ObjectStore, name: string, { generation, manifest }: Generation): Promise<void> {
  const { parts, expiresAt } = manifest
  await store.put(markerKey(generationKey(name, generation), parts.length, expiresAt), Buffer.alloc(0))
}

/**
 * Puts a marker next to the latest generation, so that listings need not read its manifest. The marker only repeats
 * what the manifest says: it may arrive late, twice or never, and nothing else depends on it.
 */
export async function markLatest(store: ObjectStore, generations: Generations, name: string): Promise<void> {
  const packet = (await packetsNamed(store, [name])).get(name)
  if (packet === undefined || packet.parts !== null) return
  const seen = await generations.seenAt(name, packet.generation)
  if (seen === 'gone') return
  const { parts = [], expiresAt } = seen?.manifest ?? {}
  await store.put(markerKey(packet.manifestKey, parts.length, expiresAt), Buffer.alloc(0))
}
