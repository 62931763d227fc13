import { hash } from 'node:crypto'

const keyBytes = 16
const fewestSlots = 1_024
const mostFull = 0.75

export interface KeySet {
  /** Adds a text. @returns whether it is new. */
  add(text: string): boolean
  has(text: string): boolean
}

/** A set of texts that keeps 16 bytes of a hash of each, at most 43 bytes of memory: a packet may name many millions. */
export function createKeySet(): KeySet {
  let slots = Buffer.alloc(fewestSlots * keyBytes)
  let size = 0

  function grow(): void {
    const old = slots
    slots = Buffer.alloc(old.length * 2)
    for (let at = 0; at < old.length; at += keyBytes) {
      if (old[at] === 0) continue
      const key = old.subarray(at, at + keyBytes)
      key.copy(slots, slotOf(slots, key))
    }
  }

  return {
    add(text) {
      const key = keyOf(text)
      const at = slotOf(slots, key)
      if (slots[at] !== 0) return false
      key.copy(slots, at)
      size++
      if (size * keyBytes > slots.length * mostFull) grow()
      return true
    },
    has: (text) => slots[slotOf(slots, keyOf(text))] !== 0,
  }
}

function keyOf(text: string): Buffer {
  const key = hash('sha256', text, 'buffer').subarray(0, keyBytes)
  // A first byte of zero marks a free slot.
  key[0] = (key[0] as number) | 1
  return key
}

/** Where a key is, or the free slot where it belongs. */
function slotOf(slots: Buffer, key: Buffer): number {
  const count = slots.length / keyBytes
  for (let slot = key.readUInt32LE(4) % count; ; slot = (slot + 1) % count) {
    const at = slot * keyBytes
    if (slots[at] === 0 || key.equals(slots.subarray(at, at + keyBytes))) return at
  }
}
