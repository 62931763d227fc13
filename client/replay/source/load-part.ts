import { createHash } from 'node:crypto'
import { SourceBroken } from '../../../packet/broken.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import type { Recognise } from '../../../packet/recognise.ts'
import { ReplayError } from '../errors.ts'
import { type Item, itemOf } from '../order/batches.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { identitiesIn } from './identities-in.ts'

/** A packet as a replay reads it. Some fields of bare part files are not known, and null. */
export interface PacketSource {
  /** For messages: `acme/people.json`, `./people.json`. */
  name: string
  /** The digest of the packet, which identifies it in the state file. */
  sha256: string | null
  generation: number | null
  requires: { server: string; constraints: { label: string; property: string }[] } | null
  /** Identities of the request that the manifest names, besides the identities of statements and parts. */
  mapped?: readonly Uniqueness[]
  /** Of which states its manifest speaks; absent for bare part files. */
  chain?: Chain
  parts: readonly PartSource[]
}

/** The place of a packet in a chain of deltas. States are digests. */
export interface Chain {
  /** The name of the packet at the service: `acme/people.json`. */
  packet: string
  base: { packet: string; state: string } | null
  state: string | null
  undoes: { from: string | null; to: string } | null
}

export interface PartSource {
  name: string
  pairs: number | null
  sha256: string | null
  /** The stored JSON, uncompressed. @throws SourceBroken if it cannot be read */
  read(signal: AbortSignal): Promise<Buffer>
}

/** A part whose pairs have all passed their checks. */
export interface LoadedPart {
  /** Counts from 1. */
  number: number
  /** The digest of the stored JSON. */
  sha256: string
  items: Item[]
  /** The identities of the request that made the part, also of nodes that no statement names. */
  mapped: Uniqueness[]
}

export interface LoadSettings {
  recognise: Recognise
  signal: AbortSignal
}

/**
 * Checks the stored bytes of a part: hash, JSON, number of pairs, and every pair's statement and parameters.
 * @throws ReplayError `broken`, or `refused` for a statement that the service does not write.
 */
export function loadPart({ parts }: PacketSource, index: number, stored: Buffer, recognise: Recognise): LoadedPart {
  return brokenIn(parts, index, () => {
    const { sha256, pairs } = checkedPairs(parts[index] as PartSource, stored)
    const items = pairs.map((pair, at) => {
      const place = { part: index + 1, pair: at + 1 }
      const recognised = recognise(pair.statement)
      if (recognised === null) throw new ReplayError('refused', `part ${place.part}, pair ${place.pair}: ${notOurs}`)
      const lacking = recognised.parameters.find((name) => !Object.hasOwn(pair.parameters, name))
      if (lacking !== undefined) throw new SourceBroken(`pair ${place.pair} has no parameter ${lacking}`)
      return itemOf(pair.parameters, place, recognised)
    })
    return { number: index + 1, sha256, items, mapped: pairs.flatMap(mappedBy) }
  })
}

/**
 * Checks the hash, the JSON and the number of pairs of a part's stored bytes. @returns the hash and the pairs
 * @throws SourceBroken
 */
function checkedPairs(part: PartSource, stored: Buffer): { sha256: string; pairs: Pair[] } {
  const sha256 = createHash('sha256').update(stored).digest('hex')
  if (part.sha256 !== null && part.sha256 !== sha256) {
    throw new SourceBroken(`sha256 is ${sha256}, the manifest says ${part.sha256}; download it again`)
  }
  const pairs = parsePart(stored)
  if (part.pairs !== null && part.pairs !== pairs.length) {
    throw new SourceBroken(`it has ${pairs.length} pairs, the manifest says ${part.pairs}; download it again`)
  }
  return { sha256, pairs }
}

/** Reads the parts one after the other. @throws ReplayError `broken` for one that fails its checks */
export async function* checkedParts(source: PacketSource, signal: AbortSignal) {
  for (const [index, part] of source.parts.entries()) {
    const stored = await readPart(source, index, signal)
    yield { bytes: stored.length, ...brokenIn(source.parts, index, () => checkedPairs(part, stored)) }
  }
}

const mappedBy = ({ metadata }: Pair) =>
  identitiesIn((metadata?.qa as { mappedIndices?: unknown } | null)?.mappedIndices)

const notOurs = 'not a statement that this service writes'

/** Reads the stored bytes of a part, unless `signal` is aborted. @throws ReplayError `broken` */
export async function readPart({ parts }: PacketSource, index: number, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted()
  const stored = await (parts[index] as PartSource).read(signal).catch((error: unknown) => error)
  return brokenIn(parts, index, () => {
    if (Buffer.isBuffer(stored)) return stored
    throw stored
  })
}

/** Runs the check of a part, and adds the part's name to its error. @throws ReplayError `broken` */
function brokenIn<T>(parts: readonly PartSource[], index: number, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof SourceBroken)) throw error
    const which = `part ${index + 1} of ${parts.length} (${parts[index]?.name})`
    throw new ReplayError('broken', `${which}: ${error.message}`, { cause: error })
  }
}
