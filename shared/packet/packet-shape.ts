import type { Topic } from './kinds/statement.ts'

/** How many pairs do the same kind of thing to the same kind of elements; a node delete counts its ids. */
export interface ShapeCount extends Topic {
  count: number
}

/** What a packet is about: labels, and types of relationships between them. Contract 7, manifest. */
export interface PacketShape {
  counts: ShapeCount[]
  /** How many more are not listed by what they are about. */
  others: number
}

export interface ShapeTally {
  add(topic: Topic, count?: number): void
  /** Adds what another part of the packet is about. */
  merge(shape: PacketShape): void
  read(): PacketShape
}

/** Beyond it a picture shows nothing, and a manifest would be mostly names. */
const most = { counts: 1_000, nameCharacters: 100_000 }

/** Counts pairs by what they are about, in memory that is bounded. The first topics are listed, in their order. */
export function createShapeTally(): ShapeTally {
  const counts = new Map<string, ShapeCount>()
  let nameCharacters = 0
  let others = 0
  // Most pairs are about the same as the one before.
  let last: { topic: Topic; counted: ShapeCount } | null = null

  function countedOf(topic: Topic): ShapeCount | undefined {
    const { kind, label, type, to } = topic
    const key = `${kind}\u0000${label}\u0000${type ?? ''}\u0000${to ?? ''}`
    const known = counts.get(key)
    if (known) return known
    const characters = key.length
    if (counts.size === most.counts || nameCharacters + characters > most.nameCharacters) return undefined
    nameCharacters += characters
    const names = { kind, label, ...(type === undefined ? {} : { type }), ...(to === undefined ? {} : { to }) }
    const counted = { ...names, count: 0 }
    counts.set(key, counted)
    return counted
  }

  function add(topic: Topic, count = 1): void {
    if (last?.topic !== topic) {
      const counted = countedOf(topic)
      if (counted === undefined) {
        others += count
        return
      }
      last = { topic, counted }
    }
    last.counted.count += count
  }

  return {
    add,
    merge(shape) {
      for (const { count, ...topic } of shape.counts) add(topic, count)
      others += shape.others
    },
    read: () => ({ counts: [...counts.values()], others }),
  }
}
