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
  Object.assign(to.labels, from.labels)
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
  let open: Buffer[] = []
  let bytes = 0
  for (const chunk of chunks) {
    open.push(chunk)
    bytes += chunk.length
    if (bytes < pieceBytes) continue
    yield Buffer.concat(open)
    open = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(open)
}

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
export const compressedLines = (lines: Buffer): Promise<Buffer> => compress(lines, fastest)

type Put = (bytes: Buffer) => Promise<StatePiece>

/** Stores the digests of a state. */
export async function storeDigests(sorter: Sorter, put: Put) {
  const sum = createHash('sha256')
  const digests: StatePiece[] = []
  let pairs = 0
  for await (const piece of piecesOf(sorter.takeDigests())) {
    sum.update(piece)
    pairs += piece.length / digestBytes
    digests.push(await put(piece))
  }
  return { digests, pairs, sha256: sum.digest('hex') }
}

/** Stores the lines of a state while `chunks` are taken; `facts` are complete afterwards. */
export function storeLines(sorter: Sorter, put: Put) {
  const facts = { lines: [] as StoredState['lines'], nodes: 0, relationships: 0 }
  async function* store(): AsyncGenerator<Buffer> {
    for await (const piece of piecesOf(sorter.takeLines())) {
      const { nodes, relationships } = countElements(piece)
      facts.nodes += nodes
      facts.relationships += relationships
      facts.lines.push({ ...(await put(await compressedLines(piece))), first: hashOfLine(piece, 0) })
      yield piece
    }
  }
  return { facts, chunks: store() }
}

/** Makes the error for a piece that cannot be read. */
export type Unreadable = (problem: 'has been removed' | 'has a damaged index') => Error

/** The bytes of pieces, one after the other. */
export async function* readPieces(
  store: Storage['store'],
  pieces: readonly StatePiece[],
  unreadable: Unreadable,
): AsyncGenerator<Buffer> {
  for (const { key, sha256 } of pieces) {
    const bytes = await store.get(key)
    if (bytes === null) throw unreadable('has been removed')
    if (hash('sha256', bytes) !== sha256) throw unreadable('has a damaged index')
    yield bytes
  }
}

/** The lines of pieces, whole ones in each buffer. */
export async function* readLines(
  store: Storage['store'],
  pieces: readonly StatePiece[],
  unreadable: Unreadable,
): AsyncGenerator<Buffer> {
  for await (const bytes of readPieces(store, pieces, unreadable)) yield decompress(bytes)
}
