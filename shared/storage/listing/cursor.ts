import type { ObjectStore, StoredObject } from '../../store/object-store.ts'

export type Cursor = ReturnType<typeof openCursor>

/**
 * Iterates over the objects below a prefix in key order. Skipping within the current page takes no request; skipping
 * beyond it does not list the objects in between. `pageKeys`: number of keys per request.
 */
export function openCursor(store: ObjectStore, prefix: string, pageKeys: number) {
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

  /** First object at or after `key`; never moves backwards. null past the last object. */
  async function seek(key: string): Promise<StoredObject | null> {
    wanted = key
    if (objects === null) await advance()
    while (current !== null && store.compareKeys(current.key, key) < 0) await advance()
    return current
  }

  return {
    seek,
    /** Like `seek`, but starts a new listing at once, for keys that are far away. */
    async jump(key: string) {
      objects = null
      return seek(key)
    },
    /** The object after the current one. */
    async next() {
      wanted = prefix
      await advance()
      return current
    },
  }
}

// Within the key length that stores accept.
const longestStart = 1_000
const lastCharacter = '\u{10ffff}'

/** A key just before `key`, with hardly any key in between: listings start after a key, never at it. */
function rightBefore(key: string): string {
  // 250 UTF-16 units take at most 750 bytes.
  const short = Buffer.byteLength(key) > longestStart ? key.slice(0, 250) : key
  // Some stores fail on characters that XML cannot represent.
  const [clean = ''] = /^[^\p{Cc}\p{Cs}\ufffe\uffff]*/u.exec(short) ?? []
  if (clean !== key) return clean
  const last = [...clean].at(-1) ?? ''
  const rest = clean.slice(0, clean.length - last.length)
  const before = String.fromCodePoint(Math.max((last.codePointAt(0) ?? 0) - 1, 0))
  return /[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(before) ? rest : rest + before + lastCharacter
}

/** Longest common prefix of the texts. */
export function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1)
  return common.isWellFormed() ? common : common.slice(0, -1)
}
