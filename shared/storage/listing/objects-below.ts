import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import type { ObjectStore, StoredObject } from '../../store/object-store.ts'

interface Wanted {
  /** Keys of the first request. */
  pageKeys: number
  /** Only objects after this key. */
  startAfter?: string
  /** Maps a key to the key after which the listing continues, if nothing in between is wanted. Called after a page. */
  past?: (lastKey: string) => string | null
}

/**
 * Stores agree on the order of keys up to U+D7FF: S3 lists by code point, S3Proxy on a file system by UTF-16 unit. So a
 * prefix without a higher character is before or after any key that does not start with it, on every store.
 */
const isOrderedAlike = (prefix: string): boolean => !/[\ud800-\uffff]/.test(prefix)

/**
 * Objects whose keys start with one of these prefixes, of which none starts with another. Prefixes that are ordered
 * alike on all stores share requests: skipping to the next one takes none within a page, and does not list the objects
 * between pages. The others are listed one by one.
 */
export async function* objectsBelow(
  store: ObjectStore,
  prefixes: readonly string[],
  { startAfter = '', ...wanted }: Wanted,
): AsyncGenerator<StoredObject> {
  const sorted = prefixes.toSorted()
  const groups = [
    sorted.filter(isOrderedAlike),
    ...sorted.filter((prefix) => !isOrderedAlike(prefix)).map((one) => [one]),
  ]
  const from = groups.findIndex((group) => group.some((prefix) => startAfter.startsWith(prefix)))
  // The prefixes may be others than when `startAfter` was listed.
  const first = Math.max(from, 0)
  for (const [index, group] of groups.entries()) {
    if (index < first || group.length === 0) continue
    if (index > first || startAfter === '') yield* objectsOfGroup(store, group, wanted)
    else yield* objectsAfter(store, group, startAfter, wanted)
  }
}

async function* objectsAfter(store: ObjectStore, prefixes: readonly string[], startAfter: string, wanted: Wanted) {
  const [start = ''] = representable.exec(startAfter) ?? []
  for await (const object of objectsOfGroup(store, prefixes, { ...wanted, startAfter: start })) {
    if (start === startAfter || byCodePoint(object.key, startAfter) > 0) yield object
  }
}

async function* objectsOfGroup(
  store: ObjectStore,
  prefixes: readonly string[],
  { pageKeys, startAfter = '', past = () => null }: Wanted,
): AsyncGenerator<StoredObject> {
  let index = 0
  const isWanted = (key: string): boolean => {
    for (; index < prefixes.length; index++) {
      const prefix = prefixes[index] as string
      if (key.startsWith(prefix)) return true
      if (prefix > key) return false
    }
    return false
  }
  const skipTo = (lastKey: string) => {
    if (isWanted(lastKey)) return past(lastKey)
    const next = prefixes[index]
    const start = next === undefined ? '' : rightBefore(next)
    // Behind the last key on every store, or else objects would be listed twice.
    return start > lastKey && byCodePoint(start, lastKey) > 0 ? start : null
  }
  const begin = startAfter === '' && prefixes.length > 1 ? rightBefore(prefixes[0] as string) : startAfter
  const options = { pageKeys, skipTo, ...(begin === '' ? {} : { startAfter: begin }) }
  for await (const object of store.list(commonStart(prefixes), options)) {
    if (isWanted(object.key)) yield object
    if (index === prefixes.length) return
  }
}

/** What XML can represent of a text: some stores fail on other characters. */
const representable = /^[^\p{Cc}\p{Cs}\ufffe\uffff]*/u

// Within the key length that stores accept.
const longestStart = 1_000
const lastCharacter = '\u{10ffff}'

/** A key just before `key`, with hardly any key in between: listings start after a key, never at it. */
function rightBefore(key: string): string {
  // 250 UTF-16 units take at most 750 bytes.
  const short = Buffer.byteLength(key) > longestStart ? key.slice(0, 250) : key
  const [clean = ''] = representable.exec(short) ?? []
  if (clean !== key) return clean
  const last = [...clean].at(-1) ?? ''
  const rest = clean.slice(0, clean.length - last.length)
  const before = String.fromCodePoint(Math.max((last.codePointAt(0) ?? 0) - 1, 0))
  return representable.exec(before)?.[0] === before ? rest + before + lastCharacter : rest
}

/** Longest common prefix of the texts. */
function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? ''
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1)
  return common.isWellFormed() ? common : common.slice(0, -1)
}
