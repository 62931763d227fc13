import { hash } from 'node:crypto'
import zlib from 'node:zlib'
import { kinds, listIn } from '../../../packet/kinds/kinds.ts'
import type { Recognised } from '../../../packet/recognise.ts'
import { alsoFound, anyOwn, elementsOf, elementsOfLine, leftOut } from '../../../packet/state/keys-of.ts'
import { ReplayError } from '../errors.ts'
import { createTextSet } from '../hash-set.ts'
import type { Item } from '../order/batches.ts'

/** An object with some of the keys of a state. */
export interface KeyPiece {
  bytes: number
  sha256: string
  read(signal: AbortSignal): Promise<Buffer>
}

/** Bytes of a decompressed piece that the client accepts. The service writes some 4 MiB. */
const longestPiece = 256 * 1024 * 1024

/** The keys of a state, as hashes of 16 bytes. */
export type KeySet = ReturnType<typeof createTextSet>

/** Reads the keys of a state, piece by piece. @throws ReplayError `broken` */
export async function readKeys(name: string, pieces: readonly KeyPiece[], signal: AbortSignal): Promise<KeySet> {
  const keys = createTextSet()
  for (const [index, piece] of pieces.entries()) {
    const stored = await piece.read(signal)
    if (stored.length !== piece.bytes || hash('sha256', stored) !== piece.sha256) {
      throw new ReplayError(
        'broken',
        `piece ${index + 1} of the state of ${name} is not the one that its manifest names`,
      )
    }
    const text = zlib.zstdDecompressSync(stored, { maxOutputLength: longestPiece }).toString()
    for (const line of text.split('\n')) if (line !== '') for (const element of elementsOfLine(line)) keys.add(element)
  }
  return keys
}

/**
 * Selects what the pairs of a chain say of its newest state, if they come from the newest packet to the oldest: the newest
 * pair about each element that the state has, and deletions of elements that it lacks.
 * @returns for each item, the item, a share of it, or null if it says nothing
 */
export function createSelection(keys: KeySet): (item: Item) => Item | null {
  const makers = new WeakMap<Recognised, ReturnType<typeof elementsOf>>()
  return (item) => {
    const { recognised, parameters } = item
    let maker = makers.get(recognised)
    if (maker === undefined) {
      maker = elementsOf(recognised)
      makers.set(recognised, maker)
    }
    if (maker === null) return null
    const elements = maker(parameters)
    const { list } = kinds[recognised.kind]
    if (list === undefined) {
      // A newer upsert of the node says more.
      const [element] = elements as [string]
      const isNewest = recognised.kind === 'deleteProperties' ? keys.isUnmarked(element) : keys.markOnce(element)
      return isNewest ? item : null
    }
    const all = listIn(recognised, parameters) ?? []
    const gone = all.filter((_, at) => isGone(elements[at] as string))
    return gone.length === 0 ? null : { ...item, parameters: { ...parameters, [list]: gone } }
  }

  /** Whether the state has nothing that a deletion would find. */
  function isGone(element: string): boolean {
    const key = element.split('\t', 1)[0] as string
    const others = element === key ? [alsoFound, leftOut, anyOwn] : [leftOut]
    return !keys.has(element) && !others.some((other) => keys.has(key + other))
  }
}
