import { hash } from 'node:crypto'
import { createHashSet } from './hash-set.ts'

export interface TextSet {
  /** @returns whether the text is new */
  add(text: string): boolean
  has(text: string): boolean
}

/** A set of texts. It stores a hash for each, in at most 43 bytes of memory: a packet may name many millions. */
export function createTextSet(): TextSet {
  const known = createHashSet()
  return { add: (text) => known.add(hashOf(text)), has: (text) => known.has(hashOf(text)) }
}

// Copies the digest, because the memory of the digest may not be aligned to four bytes.
const hashOf = (text: string): Uint32Array => new Uint32Array(new Uint8Array(hash('sha256', text, 'buffer')).buffer)
