import { hash } from 'node:crypto'
import { createHashSet } from './hash-set.ts'

export interface TextSet {
  /** @returns whether the text is new */
  add(text: string): boolean
  has(text: string): boolean
}

/** A set of texts that keeps a hash of each, at most 43 bytes of memory: a packet may name many millions. */
export function createTextSet(): TextSet {
  const known = createHashSet()
  return { add: (text) => known.add(hashOf(text)), has: (text) => known.has(hashOf(text)) }
}

// A copy, as the digest of a short text need not begin at a multiple of four bytes.
const hashOf = (text: string): Uint32Array => new Uint32Array(new Uint8Array(hash('sha256', text, 'buffer')).buffer)
