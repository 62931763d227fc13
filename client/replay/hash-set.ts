import { hash } from 'node:crypto'

const wordsPerSlot = 4
// Flags in the two lowest bits of a slot's first word. The other 126 bits of the slot hold the hash.
const [isTaken, isMarked, flags] = [1, 2, 3]
const fullest = 0.75

/**
 * A set of hashes, which compares their first four words only. An open-addressed table in one array: 32 MB for a million
 * hashes, where a Set of texts takes several times as much.
 * @param slots a power of two; the table grows when it gets full
 */
export function createHashSet(slots = 1_024) {
  let table = new Uint32Array(slots * wordsPerSlot)
  let size = 0
  let marked = 0

  /** Where a hash is, or the free slot where it belongs. */
  function placeOf(hash: Uint32Array): number {
    const [first, second, third, fourth] = [hash[0], hash[1], hash[2], hash[3]] as [number, number, number, number]
    let at = (second * wordsPerSlot) & (table.length - 1)
    while (table[at] !== 0) {
      const isSame = ((table[at] as number) | flags) === (first | flags)
      if (isSame && table[at + 1] === second && table[at + 2] === third && table[at + 3] === fourth) return at
      at = (at + wordsPerSlot) & (table.length - 1)
    }
    return at
  }

  function grow(): void {
    const old = table
    table = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += wordsPerSlot) {
      const slot = old.subarray(at, at + wordsPerSlot)
      if (slot[0] !== 0) table.set(slot, placeOf(slot))
    }
  }

  return {
    /** @returns whether the hash is new */
    add(hash: Uint32Array): boolean {
      const at = placeOf(hash)
      if (table[at] !== 0) return false
      table[at] = ((hash[0] as number) & ~flags) | isTaken
      for (let word = 1; word < wordsPerSlot; word++) table[at + word] = hash[word] as number
      size++
      if (size > (table.length / wordsPerSlot) * fullest) grow()
      return true
    },
    has: (hash: Uint32Array): boolean => table[placeOf(hash)] !== 0,
    /** Marks the hash if the set has it. @returns whether it has */
    mark(hash: Uint32Array): boolean {
      const at = placeOf(hash)
      const first = table[at] as number
      if (first === 0) return false
      if ((first & isMarked) === 0) marked++
      table[at] = first | isMarked
      return true
    },
    isMarked: (hash: Uint32Array): boolean => ((table[placeOf(hash)] as number) & isMarked) !== 0,
    get size() {
      return size
    },
    get marked() {
      return marked
    },
  }
}

export type TextSet = ReturnType<typeof createTextSet>

/** A set of texts. It stores a hash for each, in at most 43 bytes of memory: a packet may name many millions. */
export function createTextSet() {
  const known = createHashSet()
  const isUnmarked = (hash: Uint32Array) => known.has(hash) && !known.isMarked(hash)
  return {
    /** @returns whether the text is new */
    add: (text: string): boolean => known.add(hashOf(text)),
    has: (text: string): boolean => known.has(hashOf(text)),
    /** Whether the set has the text, and nobody has marked it. */
    isUnmarked: (text: string): boolean => isUnmarked(hashOf(text)),
    /** Marks the text if the set has it. @returns whether it has, and nobody had marked it */
    markOnce(text: string): boolean {
      const hash = hashOf(text)
      return isUnmarked(hash) && known.mark(hash)
    },
  }
}

// Copies the digest, because the memory of the digest may not be aligned to four bytes.
const hashOf = (text: string): Uint32Array => new Uint32Array(new Uint8Array(hash('sha256', text, 'buffer')).buffer)
