import { kinds } from '../../../packet/kinds/kinds.ts'
import { PackWriter } from '../../../packet/packstream/pack-writer.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import type { LoadedPart } from '../source/load-part.ts'
import type { Item, Parameters } from './batches.ts'
import { nodeHashes } from './node-hashes.ts'
import { rowOf } from './over-rows.ts'

/** A pair that is ready to run: its row is packed, because its values would take a window several times the memory. */
export interface PackedItem extends Omit<Item, 'parameters'> {
  part: PackedPart
  /** Where its row is among the rows of its part. */
  from: number
  to: number
  /** The nodes that it touches, see `nodeHashes`. Empty for one with a list. */
  nodes: readonly number[]
  /** Only of one with a list, which has no packed row because it may be cut; otherwise null. */
  parameters: Parameters | null
}

export interface PackedPart {
  /** Counts from 1. */
  number: number
  items: PackedItem[]
  rows: Buffer
  /** Its pairs, read again from its stored JSON at the first call. */
  pairs(): readonly Pair[]
}

const writer = new PackWriter()

/** Packs the rows of a part that has passed its checks. */
export function packPart({ number, items }: LoadedPart, stored: Buffer): PackedPart {
  let pairs: Pair[] | null = null
  const readPairs = () => {
    pairs ??= parsePart(stored)
    return pairs
  }
  const part: PackedPart = { number, items: [], rows: Buffer.alloc(0), pairs: readPairs }
  writer.clear()
  for (const item of items) {
    const hasList = kinds[item.recognised.kind].list !== undefined
    const from = writer.size
    if (!hasList) writer.value(rowOf(item))
    const { place, recognised, bytes, parameters } = item
    const packed = { place, recognised, bytes, part, from, to: writer.size }
    part.items.push({ ...packed, nodes: hasList ? [] : nodeHashes(item), parameters: hasList ? parameters : null })
  }
  part.rows = Buffer.from(writer.written)
  return part
}

/** The rows of a query, as the bytes of a list. */
export function packedRowsOf(items: readonly PackedItem[]): Buffer {
  writer.clear()
  writer.list(items.length)
  for (const { recognised, parameters, part, from, to } of items) {
    if (parameters === null) writer.packed(part.rows, from, to)
    else writer.value(rowOf({ recognised, parameters }))
  }
  return Buffer.from(writer.written)
}
