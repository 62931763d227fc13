import type { Readable } from 'node:stream'

export interface StoredObject {
  key: string
  bytes: number
  /** The store's word for the content: equal for equal ones, a copy's too on most stores. */
  etag: string
  /** By the store's clock, epoch milliseconds. */
  modifiedAt: number
}

/** Bytes of an object: `from` counts from 0. */
export interface ByteRange {
  from: number
  bytes: number
}

export interface ListOptions {
  /** How many keys are asked for at a time, 1,000 at most: for who takes only the first few. */
  pageKeys?: number
  /** Only what comes after this key, be it that of an object or not. */
  startAfter?: string
  /** Asked with the last key of each page where the next one is to begin: after this key; null for right behind it. */
  skipTo?: (lastKey: string) => string | null
}

export type Compare = (a: string, b: string) => number

/**
 * What the service needs of object storage: whole immutable objects, create-if-absent, listing in key order. Every
 * implementation passes the same tests. All methods throw storeAway (503, retryable) when the store fails.
 */
export interface ObjectStore {
  /** @returns the object's etag. */
  put(key: string, bytes: Buffer): Promise<string>
  /**
   * Creates an object unless the key is taken, in one request that is never repeated.
   * `lost`: no answer came, so the object may or may not have been created by this call.
   */
  create(key: string, bytes: Buffer): Promise<'created' | 'exists' | 'lost'>
  /** The object, or some bytes of it; null when there is no such object. */
  get(key: string, range?: ByteRange): Promise<Buffer | null>
  /** The object as it comes; null when there is none. */
  stream(key: string): Promise<Readable | null>
  /** Key order: S3's, that of code points, unless `prepare` has found that the store has another. */
  compareKeys: Compare
  /** The objects below a prefix, in key order. */
  list(prefix: string, options?: ListOptions): AsyncGenerator<StoredObject>
  /** One directory level below a prefix that ends in `/`: its objects, and the prefixes of its sub-directories. */
  listLevel(prefix: string): AsyncGenerator<StoredObject | { prefix: string }>
  /** Is there any object below the prefix? */
  hasAny(prefix: string): Promise<boolean>
  /** Copies inside the store; false when there is no source. */
  copy(from: string, to: string): Promise<boolean>
  /** Removes an object if it is there. */
  remove(key: string): Promise<void>
  /** A URL that GETs exactly this object for `lifetimeSeconds`, saved as `fileName`. */
  sign(key: string, lifetimeSeconds: number, fileName: string): Promise<string>
  /** Creates the bucket if missing, and proves what publication rests on. @throws Error naming what the store lacks. */
  prepare(): Promise<void>
  ping(): Promise<void>
}
