import { hash } from 'node:crypto'
import { render } from '../../../packet/cypher/parameters.ts'
import type { StatementKind } from '../../../packet/kinds/statement.ts'
import { canonicalText } from '../../../packet/lossless-json.ts'
import { packetDigest } from '../../../packet/parts/packet-digest.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { createRecogniser, type Recognised } from '../../../packet/recognise.ts'
import { createHashSet } from '../hash-set.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { createNeeds } from '../preflight/needs.ts'
import { checkedParts, type PacketSource } from '../source/load-part.ts'

export interface DiffOptions {
  /** Receives each pair that only the new packet has, in the order of the packet. */
  added?: (pair: Pair) => Promise<void> | void
  signal: AbortSignal
}

/** How two packets differ. */
export interface DiffReport {
  old: PacketRead
  new: PacketRead
  /** `other` are statements that the service does not write. By the properties in `needed`, statements find nodes. */
  onlyNew: { pairs: number; statements: Partial<Record<StatementKind | 'other', number>>; needed: Uniqueness[] }
  /** Distinct pairs that the new packet lacks. */
  onlyOld: number
  /** Node and relationship upserts of the new packet: how many there are, and how many the old packet has, too. */
  upserts: { all: number; inOld: number }
}

interface PacketRead {
  pairs: number
  /** The digest of the digests of its parts, as a manifest has it. Contract 7, manifest. */
  sha256: string
}

/**
 * Finds the pairs of the new packet that the old one lacks: a target that has the old packet still needs them. Keeps
 * one part in memory, and a hash of 16 bytes for each old pair. Pairs are equal if their statements and parameters are,
 * see `pairHash`.
 * @throws ReplayError `broken` for a part that cannot be read, or that fails its checks
 */
export async function diff(
  oldPacket: PacketSource,
  newPacket: PacketSource,
  { added, signal }: DiffOptions,
): Promise<DiffReport> {
  const recognise = createRecogniser()
  const known = createHashSet()
  const old = await readPairs(oldPacket, signal, (pair) => void known.add(pairHash(pair, recognise(pair.statement))))

  const needs = createNeeds()
  const onlyNew = { pairs: 0, statements: {} as DiffReport['onlyNew']['statements'] }
  const upserts = { all: 0, inOld: 0 }
  const read = await readPairs(newPacket, signal, (pair) => {
    const recognised = recognise(pair.statement)
    const kind = recognised?.kind ?? 'other'
    const isUpsert = kind === 'nodeUpsert' || kind === 'relationshipUpsert'
    const isKnown = known.mark(pairHash(pair, recognised))
    if (isUpsert) upserts.all++
    if (isUpsert && isKnown) upserts.inOld++
    if (isKnown) return undefined
    onlyNew.pairs++
    onlyNew.statements[kind] = (onlyNew.statements[kind] ?? 0) + 1
    if (recognised !== null) needs.add([{ recognised }])
    return added?.(pair)
  })
  return { old, new: read, onlyNew: { ...onlyNew, needed: needs.all() }, onlyOld: known.size - known.marked, upserts }
}

/** Reads a packet part by part, and hands out its pairs in their order. @throws ReplayError `broken` */
async function readPairs(
  source: PacketSource,
  signal: AbortSignal,
  take: (pair: Pair) => Promise<void> | undefined | void,
): Promise<PacketRead> {
  const parts: { sha256: string }[] = []
  let count = 0
  for await (const { sha256, pairs } of checkedParts(source, signal)) {
    parts.push({ sha256 })
    count += pairs.length
    for (const pair of pairs) {
      const taken = take(pair)
      if (taken) await taken
    }
  }
  return { pairs: count, sha256: packetDigest(parts) }
}

// One buffer for all hashes: a new buffer for each would take memory outside the heap, which is released late.
const digest = Buffer.from(new ArrayBuffer(32))
const words = new Uint32Array(digest.buffer)

/**
 * The digest of a pair's statement and parameters: the same in both parameter syntaxes, and in any order of the keys of
 * maps. 1 and 1.0 differ. Metadata does not count.
 * @returns eight words, valid until the next call
 */
export function pairHash({ statement, parameters }: Pair, recognised: Recognised | null): Uint32Array {
  const text = recognised === null ? statement : dollarText(recognised)
  // The end of the JSON is always recognisable, so no two different pairs have the same text.
  digest.write(hash('sha256', canonicalText(parameters) + text, 'binary'), 'latin1')
  return words
}

const texts = new WeakMap<Recognised, string>()

/** The statement as the service writes it with `$` before the names of parameters. */
function dollarText(recognised: Recognised): string {
  const known = texts.get(recognised)
  if (known !== undefined) return known
  const text = render(recognised.text, 'dollar')
  texts.set(recognised, text)
  return text
}
