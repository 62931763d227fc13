import { createHash, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, type ZstdOptions, zstdCompress, zstdDecompress } from 'node:zlib'
import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { identityRule } from '../../request/identity.ts'
import type { StatePiece, StoredState } from '../../storage/manifest.ts'
import type { Storage } from '../../storage/storage.ts'
import { countElements, hashOfLine } from './lines.ts'
import { digestBytes, type Sorter } from './sorter.ts'

const compress = promisify<Buffer, ZstdOptions, Buffer>(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Bytes of a piece of a state, before any compression. It is at least as large, unless it is the last. */
const pieceBytes = 4 * 1024 * 1024

/** What gives nodes their identities: labels with id properties, and default labels. Entries of all sub-requests. */
export interface Indices {
  labels: Record<string, string>
  defaults: string[]
}

export const noIndices = (): Indices => ({ labels: {}, defaults: [] })

export function addIndices(to: Indices, from: Indices): void {
  // Unlike an assignment, this keeps a label that is called "__proto__".
  to.labels = { ...to.labels, ...from.labels }
  to.defaults = [...new Set([...to.defaults, ...from.defaults])]
}

export function indicesOf(requests: readonly PublishRequest[]): Indices {
  const all = noIndices()
  for (const mappedIndices of new Set(requests.map((request) => request.mappedIndices ?? {}))) {
    const { byLabel, defaultLabel } = identityRule(mappedIndices)
    addIndices(all, { labels: byLabel, defaults: defaultLabel === null ? [] : [defaultLabel] })
  }
  return all
}

/** A short text that is the same for the same indices. */
export const textOfIndices = ({ labels, defaults }: Indices): string =>
  hash(
    'sha256',
    JSON.stringify([Object.entries(labels).sort(([a], [b]) => byCodePoint(a, b)), defaults.toSorted(byCodePoint)]),
  )

/** Sorted bytes in pieces of a size for the store. A piece ends where one of the chunks does. */
export async function* piecesOf(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  let open = Buffer.alloc(0)
  let length = 0
  let usual = 0
  for (const chunk of chunks) {
    if (length + chunk.length > open.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(usual, 2 * (length + chunk.length)))
      open.copy(larger, 0, 0, length)
      open = larger
    }
    length += chunk.copy(open, length)
    if (length < pieceBytes) continue
    yield open.subarray(0, length)
    // The piece is still being stored. The next one is hardly larger.
    usual = length + (length >>> 3)
    open = Buffer.alloc(0)
    length = 0
  }
  if (length > 0) yield open.subarray(0, length)
}

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
export const compressedLines = (lines: Buffer): Promise<Buffer> => compress(lines, fastest)

type Put = (bytes: Buffer) => Promise<StatePiece>

/** Pieces that are read or stored at the same time. Each takes some megabytes. */
const piecesAtOnce = 3

/** Stores pieces, some at the same time. At its end none is under way. */
function createUploads<Stored>() {
  const all: Promise<Stored>[] = []
  const underWay = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  return {
    async add(upload: Promise<Stored>): Promise<void> {
      all.push(upload)
      const settled: Promise<void> = upload.then(
        () => void underWay.delete(settled),
        (error) => {
          failure ??= { error }
          underWay.delete(settled)
        },
      )
      underWay.add(settled)
      if (underWay.size >= piecesAtOnce) await Promise.race(underWay)
      if (failure) throw failure.error
    },
    /** What was stored, in the order in which it was added. */
    stored: () => Promise.all(all),
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(underWay)
    },
  }
}

/** Stores the digests of a state. */
export async function storeDigests(sorter: Sorter, put: Put) {
  await using uploads = createUploads<StatePiece>()
  const sum = createHash('sha256')
  let pairs = 0
  for await (const piece of piecesOf(sorter.takeDigests())) {
    sum.update(piece)
    pairs += piece.length / digestBytes
    await uploads.add(put(piece))
  }
  return { digests: await uploads.stored(), pairs, sha256: sum.digest('hex') }
}

/** Stores the lines of a state while `chunks` are taken; `facts` are complete afterwards. */
export function storeLines(sorter: Sorter, put: Put) {
  const facts = { lines: [] as StoredState['lines'], nodes: 0, relationships: 0 }
  const storePiece = async (piece: Buffer) => ({
    ...(await put(await compressedLines(piece))),
    first: hashOfLine(piece, 0),
  })
  async function* store(): AsyncGenerator<Buffer> {
    await using uploads = createUploads<StoredState['lines'][number]>()
    for await (const piece of piecesOf(sorter.takeLines())) {
      const { nodes, relationships } = countElements(piece)
      facts.nodes += nodes
      facts.relationships += relationships
      await uploads.add(storePiece(piece))
      yield piece
    }
    facts.lines = await uploads.stored()
  }
  return { facts, chunks: store() }
}

/** Makes the error for a piece that cannot be read. */
export type UnreadableState = (problem: 'has been removed' | 'has a damaged index') => Error

type Read = (
  store: Storage['store'],
  pieces: readonly StatePiece[],
  unreadable: UnreadableState,
) => AsyncGenerator<Buffer>

/** Reads pieces, one after the other; while one is in use, the next are on their way. */
const reading = (contentOf: (bytes: Buffer) => Buffer | Promise<Buffer>): Read =>
  async function* (store, pieces, unreadable) {
    async function read({ key, sha256 }: StatePiece): Promise<Buffer> {
      const bytes = await store.get(key)
      if (bytes === null) throw unreadable('has been removed')
      if (hash('sha256', bytes) !== sha256) throw unreadable('has a damaged index')
      return contentOf(bytes)
    }
    const underWay: Promise<Buffer>[] = []
    for (let next = 0; next < pieces.length || underWay.length > 0; ) {
      while (next < pieces.length && underWay.length < piecesAtOnce) {
        const piece = read(pieces[next++] as StatePiece)
        // It is thrown when its turn has come.
        piece.catch(() => {})
        underWay.push(piece)
      }
      yield (await underWay.shift()) as Buffer
    }
  }

/** The bytes of pieces. */
export const readPieces = reading((bytes) => bytes)

/** The lines of pieces, whole ones in each buffer. */
export const readLines = reading(decompress)
