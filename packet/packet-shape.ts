import type { Topic } from './kinds/statement.ts'

/** The number of pairs with one topic. For deletes, the number of nodes or relationships that they name. */
export interface ShapeCount extends Topic {
  count: number
}

/** What a packet is about: labels, and types of relationships between them. Contract 7, manifest. */
export interface PacketShape {
  counts: ShapeCount[]
  /** The number of pairs whose topics are not listed. */
  others: number
}

const most = {
  /**
   * Topics that a manifest counts. Beyond this limit the manifest counts further pairs as others: a picture of more
   * topics shows nothing.
   */
  counts: 1_000,
  /**
   * Characters of the topics that a manifest counts. Beyond this limit the manifest counts further pairs as others: it
   * would consist mostly of names.
   */
  nameCharacters: 100_000,
}

/** Counts pairs by topic, in bounded memory. Lists the first topics, in the order in which they came. */
export function createShapeTally() {
  const counts = new Map<string, ShapeCount>()
  let nameCharacters = 0
  let others = 0
  // Most pairs have the topic of the previous pair.
  let last: { topic: Topic; counted: ShapeCount } | null = null

  function countedOf(topic: Topic): ShapeCount | undefined {
    const { kind, label, type, to } = topic
    const key = `${kind}\u0000${label}\u0000${type ?? ''}\u0000${to ?? ''}`
    const known = counts.get(key)
    if (known) return known
    if (counts.size === most.counts || nameCharacters + key.length > most.nameCharacters) return undefined
    nameCharacters += key.length
    const counted = { ...topic, count: 0 }
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
    /** Adds the counts of another part of the packet. */
    merge(shape: PacketShape): void {
      for (const { count, ...topic } of shape.counts) add(topic, count)
      others += shape.others
    },
    read: (): PacketShape => ({ counts: [...counts.values()], others }),
  }
}
