import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import type { ListOptions, ObjectStore, StoredObject } from '../../../shared/store/object-store.ts'

/** An in-memory object store that counts requests, for tests with too many objects for a real server. */
export interface MemoryStore extends ObjectStore {
  /** The encoding with which an object was stored, for downloads. */
  encodingOf(key: string): 'gzip' | undefined
  /** Requests since the last `forget`, each as an operation and a key. */
  readonly requests: string[]
  forget(): void
}

export type Compare = (a: string, b: string) => number

/** `compareKeys`: the key order, by default that of S3. */
export function openMemoryStore(compareKeys: Compare = byCodePoint): MemoryStore {
  const objects = new Map<string, { bytes: Buffer; object: StoredObject; encoding: 'gzip' | undefined }>()
  const requests: string[] = []
  /** Keys in order, and those added since: sorting all of them for each listing would cost more than the tests. */
  let sorted: string[] = []
  let added: string[] = []

  /** The position of the first of `keys` after `start`, or at it. */
  function positionOf(start: string, isBehind: boolean): number {
    let [first, end] = [0, sorted.length]
    while (first < end) {
      const middle = (first + end) >> 1
      const order = compareKeys(sorted[middle] as string, start)
      if (order < 0 || (isBehind && order === 0)) first = middle + 1
      else end = middle
    }
    return first
  }

  function sort() {
    if (added.length > 100) sorted = [...sorted, ...added].sort(compareKeys)
    else for (const key of added) sorted.splice(positionOf(key, false), 0, key)
    added = []
  }

  function put(key: string, bytes: Buffer, encoding?: 'gzip'): string {
    const etag = createHash('md5').update(bytes).digest('hex')
    if (!objects.has(key)) added.push(key)
    objects.set(key, { bytes, object: { key, bytes: bytes.length, etag, modifiedAt: Date.now() }, encoding })
    return etag
  }

  function remove(key: string) {
    if (!objects.delete(key)) return
    sort()
    sorted.splice(positionOf(key, false), 1)
  }

  async function* list(prefix: string, { pageKeys = 1_000, startAfter = '', skipTo }: ListOptions = {}) {
    for (let after = startAfter, count = pageKeys; ; ) {
      requests.push(`list ${prefix} ${after}`)
      const isFurther = compareKeys(after, prefix) >= 0 && after !== ''
      sort()
      const first = positionOf(isFurther ? after : prefix, isFurther)
      const ofPage = sorted.slice(first, first + count).filter((key) => key.startsWith(prefix))
      const isTruncated = sorted[first + count]?.startsWith(prefix) ?? false
      const page = ofPage.map((key) => objects.get(key)?.object as StoredObject)
      await Promise.resolve()
      yield* page
      const last = page.at(-1)
      if (!isTruncated || last === undefined) return
      const further = skipTo?.(last.key) ?? null
      if (further === null) count = Math.min(2 * count, 1_000)
      after = further ?? last.key
    }
  }

  const read = (operation: string, key: string) => {
    requests.push(`${operation} ${key}`)
    return objects.get(key)?.bytes ?? null
  }

  return {
    encodingOf: (key) => objects.get(key)?.encoding,
    requests,
    forget: () => void requests.splice(0),
    keysBelowKeys: () => 'listed',
    list,
    async put(key, bytes, encoding) {
      requests.push(`put ${key}`)
      return put(key, bytes, encoding)
    },
    async create(key, bytes) {
      requests.push(`create ${key}`)
      if (objects.has(key)) return 'exists'
      put(key, bytes)
      return 'created'
    },
    async get(key, range) {
      const bytes = read('get', key)
      return range && bytes ? bytes.subarray(range.from, range.from + range.bytes) : bytes
    },
    async stream(key) {
      const bytes = read('get', key)
      return bytes && Readable.from([bytes])
    },
    async *listLevel(prefix, options) {
      let level = ''
      for await (const object of list(prefix, options)) {
        const slash = object.key.indexOf('/', prefix.length)
        if (slash === -1) yield object
        else if (object.key.slice(0, slash + 1) !== level) {
          level = object.key.slice(0, slash + 1)
          yield { prefix: level }
        }
      }
    },
    async hasAny(prefix) {
      for await (const _ of list(prefix, { pageKeys: 1 })) return true
      return false
    },
    async find(key) {
      requests.push(`find ${key}`)
      return objects.get(key)?.object ?? null
    },
    async copy(from, to) {
      const bytes = read('copy', from)
      if (bytes) put(to, bytes, objects.get(from)?.encoding)
      return bytes !== null
    },
    async removeMany(keys) {
      for (const key of keys) await this.remove(key)
    },
    async remove(key) {
      requests.push(`remove ${key}`)
      remove(key)
    },
    sign: async (key) => `memory:${key}`,
    probe: async () => [],
    prepare: async () => {},
    now: () => Date.now(),
    ping: async () => {},
  }
}
