import { XMLParser } from 'fast-xml-parser'
import type { StoredObject } from './object-store.ts'
import { queryOf } from './signer.ts'

export interface ListRequest {
  prefix: string
  delimiter: string
  keys: number
  /** Start after this key; '' for the beginning. */
  after: string
  /** Where the page before ended; '' to start at `after`. */
  token: string
}

/** One page of a listing. */
export interface ListedPage {
  objects: StoredObject[]
  /** Prefixes of sub-directories. */
  levels: string[]
  isTruncated: boolean
  token: string
}

/** The query of ListObjectsV2, sorted as signatures need it. */
export function listQuery({ prefix, delimiter, keys, after, token }: ListRequest): string {
  const parameters = {
    ...(token === '' ? {} : { 'continuation-token': token }),
    delimiter,
    'encoding-type': 'url',
    'list-type': '2',
    'max-keys': String(keys),
    prefix,
    ...(after === '' ? {} : { 'start-after': after }),
  }
  return queryOf(parameters)
}

// Entities are decoded here, because the parser leaves numeric ones, which Go writes for quotes.
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
})

/**
 * Parses the answer to `listQuery`. The client decodes every key as URL-encoded, although a store may ignore
 * `encoding-type`: VersityGW then lists `a+b` as `a b`.
 */
export function parseListing(xml: string): ListedPage {
  const parsed = parser.parse(xml)
  if (!('ListBucketResult' in parsed)) throw new Error('the answer of the object store is not a listing')
  const result = typeof parsed.ListBucketResult === 'object' ? parsed.ListBucketResult : {}
  const isEncoded = textOf(result.EncodingType).trim() === 'url'
  const nameOf = (element: unknown) =>
    isEncoded ? decodeURIComponent(textOf(element).replaceAll('+', ' ')) : textOf(element)
  const objects = ((result.Contents ?? []) as Record<string, unknown>[]).map((content) => ({
    key: nameOf(content.Key),
    bytes: Number(textOf(content.Size)),
    etag: textOf(content.ETag).replaceAll('"', ''),
    modifiedAt: Date.parse(textOf(content.LastModified)),
  }))
  return {
    objects,
    levels: ((result.CommonPrefixes ?? []) as Record<string, unknown>[]).map(({ Prefix }) => nameOf(Prefix)),
    isTruncated: textOf(result.IsTruncated).trim() === 'true',
    token: textOf(result.NextContinuationToken),
  }
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text of an element, with its entities decoded; '' if it is absent or empty. */
function textOf(element: unknown): string {
  if (typeof element !== 'string') return ''
  return element.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,4}));/gi, (entity, decimal, hexadecimal, name) => {
    if (name !== undefined) return named[name] ?? entity
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
}

/**
 * A start of a listing that every store accepts: cut before a segment of only dots, as MinIO reads it as a path and
 * refuses it. Fewer keys are skipped, never more.
 */
export function withoutDotSegments(key: string): string {
  let start = 0
  for (const segment of key.split(/[/\\]/)) {
    if (['.', '..'].includes(segment.trim())) return key.slice(0, start)
    start += segment.length + 1
  }
  return key
}

/** Whether every store can start a listing after this key: some fail on characters that XML cannot represent. */
export const canStartAfter = (key: string): boolean => !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(key)
