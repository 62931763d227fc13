import type { Readable } from 'node:stream'

export interface StoredObject {
  key: string
  bytes: number
  /** The store's tag of the content: equal for equal content, on most stores also for a copy. */
  etag: string
  /** By the store's clock, epoch milliseconds. */
  modifiedAt: number
}

/** Byte range of an object; `from` is zero-based. */
export interface ByteRange {
  from: number
  bytes: number
}

export interface ListOptions {
  /**
   * Number of keys in the first request, at most 1,000, for callers that take only the first few. While the listing
   * continues right after a page, each request asks for twice as many.
   */
  pageKeys?: number
  /** Only keys after this one, which need not exist. */
  startAfter?: string
  /** Maps the last key of a page to the key after which the next page starts; null to continue right after the page. */
  skipTo?: (lastKey: string) => string | null
}

/**
 * What a store does with a key below another key, such as `a/b/c` beside `a/b`: it lists both; it hides the longer one
 * from listings, as MinIO does; or it refuses it, as stores do that keep objects as files.
 */
export type KeysBelowKeys = 'listed' | 'hidden' | 'refused'

/** What a store must do (`requirements.ts`), and what is wrong with it; null if it holds. Both follow a subject. */
export interface ProbeOutcome {
  holds: string
  problem: string | null
}

/**
 * Object storage as the service needs it: whole immutable objects, create-if-absent, listing in key order, which is by
 * code point, as in S3, or by UTF-16 unit: callers must be right with both. Every implementation passes the same tests. All methods throw storeAway (503, retryable) if the store fails or refuses.
 */
export interface ObjectStore {
  /**
   * `encoding`: how the bytes are compressed. @returns the object's etag.
   * @throws nameBlocked (409) if the store cannot keep this key beside another (`keysBelowKeys`)
   */
  put(key: string, bytes: Buffer, encoding?: 'gzip'): Promise<string>
  /**
   * Creates an object unless the key is taken, in one request that is never repeated.
   * `lost`: the outcome is unknown, so this call may or may not have created the object.
   * @throws storeAway if the store refuses the request, so that this call has created nothing
   */
  create(key: string, bytes: Buffer): Promise<'created' | 'exists' | 'lost'>
  /** The object as it is stored, or a range of its bytes; null if it does not exist. */
  get(key: string, range?: ByteRange): Promise<Buffer | null>
  /** The object as it is stored, as a stream; null if it does not exist. */
  stream(key: string): Promise<Readable | null>
  /** What becomes of a key below another key; `hidden`, for which callers are most careful, until `prepare` knows. */
  keysBelowKeys(): KeysBelowKeys
  /** The objects below a prefix, in key order. */
  list(prefix: string, options?: ListOptions): AsyncGenerator<StoredObject>
  /** One directory level below a prefix that ends in `/`: its objects, and the prefixes of its sub-directories. */
  listLevel(
    prefix: string,
    options?: Pick<ListOptions, 'pageKeys' | 'startAfter'>,
  ): AsyncGenerator<StoredObject | { prefix: string }>
  /** Whether there is any object below the prefix. */
  hasAny(prefix: string): Promise<boolean>
  /** The object with exactly this key; null if there is none. Finds also what `list` hides (`keysBelowKeys`). */
  find(key: string): Promise<StoredObject | null>
  /** Copies within the store, with the encoding; false if the source does not exist. @throws nameBlocked as `put` */
  copy(from: string, to: string): Promise<boolean>
  /** Removes an object if it exists. */
  remove(key: string): Promise<void>
  /** Removes objects, those that exist, in one request if the store takes it. */
  removeMany(keys: readonly string[]): Promise<void>
  /** A presigned GET URL of this object, valid for `lifetimeSeconds`; the download is saved as `fileName`. */
  sign(key: string, lifetimeSeconds: number, fileName: string): Promise<string>
  /** Creates a missing bucket, checks what the service requires of a store, and adapts to it. */
  probe(): Promise<ProbeOutcome[]>
  /** Like `probe`. @throws Error that names everything that the store lacks. */
  prepare(): Promise<void>
  /** The store's time, by its last answer: epoch milliseconds. */
  now(): number
  ping(): Promise<void>
}

/** Prefix of the objects with which a program tests the store at start. A sweep removes leftover ones. */
export const probes = '.probe/'

export const probeKey = (id: string): string => `${probes}${id}`
