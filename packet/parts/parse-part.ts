import { SourceBroken } from '../broken.ts'
import { parseLossless } from '../lossless-json.ts'

/** One statement/parameter pair of a packet, as a client reads it. */
export interface Pair {
  statement: string
  /** Integers are BigInts, all other numbers are numbers. */
  parameters: Record<string, unknown>
  metadata: Record<string, unknown> | null
}

/** Where a pair stands in its packet. Both numbers count from 1. */
export interface Place {
  part: number
  pair: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads the stored JSON of a part. @throws SourceBroken if it is not valid. */
export function parsePart(stored: Uint8Array | string): Pair[] {
  const part = parsed(stored)
  const statements = isObject(part) ? part.statements : null
  if (!Array.isArray(statements)) throw new SourceBroken('not a JSON object with a list of statements')
  return statements.map((pair, index): Pair => {
    if (!isObject(pair)) throw new SourceBroken(`pair ${index + 1} is not a JSON object`)
    const { statement, parameters, metadata = null } = pair
    if (typeof statement !== 'string') throw new SourceBroken(`pair ${index + 1} has no statement`)
    if (!isObject(parameters)) throw new SourceBroken(`pair ${index + 1} has no parameters`)
    return { statement, parameters, metadata: isObject(metadata) ? metadata : null }
  })
}

function parsed(stored: Uint8Array | string): unknown {
  try {
    return parseLossless(typeof stored === 'string' ? stored : utf8.decode(stored))
  } catch (cause) {
    if (cause instanceof SourceBroken) throw cause
    throw new SourceBroken(cause instanceof RangeError ? 'nested too deeply' : 'not valid JSON', { cause })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
