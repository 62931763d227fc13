import type { ObjectStore, StoredObject } from '../object-store.ts'

/**
 * Goes through the objects below a prefix in key order. What is on a page that was asked for is passed over without a
 * request, and what lies beyond it without being listed.
 */
export interface Cursor {
  /** The first object at or after a key, and after those that were passed; null behind the last one. */
  seek(key: string): Promise<StoredObject | null>
  /** As `seek`, with a request of its own: for who knows that it is far. */
  jump(key: string): Promise<StoredObject | null>
  /** The object after that. */
  next(): Promise<StoredObject | null>
}

/** `pageKeys`: how many keys are asked for at a time. */
export function openCursor(store: ObjectStore, prefix: string, pageKeys: number): Cursor {
  let objects: AsyncGenerator<StoredObject> | null = null
  let current: StoredObject | null = null
  let wanted = prefix

  const skipTo = (lastKey: string) => {
    const start = rightBefore(wanted)
    return store.compareKeys(start, lastKey) > 0 ? start : null
  }

  async function advance(): Promise<void> {
    if (objects === null) {
      const startAfter = rightBefore(wanted)
      const isFurther = store.compareKeys(startAfter, prefix) > 0
      objects = store.list(prefix, { pageKeys, skipTo, ...(isFurther ? { startAfter } : {}) })
    } else if (current === null) return
    const { value, done } = await objects.next()
    current = done ? null : value
  }

  async function seek(key: string): Promise<StoredObject | null> {
    wanted = key
    if (objects === null) await advance()
    while (current !== null && store.compareKeys(current.key, key) < 0) await advance()
    return current
  }

  return {
    seek,
    async jump(key) {
      objects = null
      return seek(key)
    },
    async next() {
      wanted = prefix
      await advance()
      return current
    },
  }
}

// Stores take no longer key.
const longestStart = 1_000
const lastCharacter = '\u{10ffff}'

/** A key before `key` that hardly any other comes between: listings start after a key, never at it. */
function rightBefore(key: string): string {
  // 250 UTF-16 units are 750 bytes at most.
  const short = Buffer.byteLength(key) > longestStart ? key.slice(0, 250) : key
  // Some stores fail on what XML cannot carry.
  const [clean = ''] = /^[^\p{Cc}\p{Cs}\ufffe\uffff]*/u.exec(short) ?? []
  if (clean !== key) return clean
  const last = [...clean].at(-1) ?? ''
  const rest = clean.slice(0, clean.length - last.length)
  const before = String.fromCodePoint(Math.max((last.codePointAt(0) ?? 0) - 1, 0))
  return /[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(before) ? rest : rest + before + lastCharacter
}

/** What all of some texts start with. */
export function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1)
  return common.isWellFormed() ? common : common.slice(0, -1)
}
