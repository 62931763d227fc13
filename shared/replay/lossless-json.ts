import { floatText } from '../cypher/values.ts'
import { SourceBroken } from './errors.ts'

/**
 * Parses JSON for replay: an integer becomes a BigInt, a literal with a point or an exponent a number. In a packet `1`
 * and `1.0` are different values, and 2^53+1 is not 2^53.
 * @throws SourceBroken for an integer beyond 64 bits
 */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, function reviver(this: unknown, _key, value, ...rest: unknown[]) {
    const source = (rest[0] as { source?: string } | undefined)?.source
    if (typeof value !== 'number' || source === undefined) return value
    if (/[.eE]/.test(source)) return value
    const integer = BigInt(source)
    // No database has such an integer; a driver would send its last 64 bits.
    if (BigInt.asIntN(64, integer) !== integer) throw new SourceBroken(`${source} is no 64-bit integer`)
    return integer
  })
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** The JSON that `parseLossless` reads back as the same value. */
export const stringifyLossless = (value: unknown): string =>
  JSON.stringify(value, (_key, one) => {
    if (typeof one === 'bigint') return rawJSON(String(one))
    return typeof one === 'number' ? rawJSON(numberText(one)) : one
  })

/** The same JSON for equal values, whatever the order of their keys. */
export function canonicalText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return numberText(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonicalText(one)}`).join()}}`
}

// One out of range was read from a literal out of range, as any such literal is.
const numberText = (value: number): string =>
  Number.isFinite(value) ? floatText(value) : value > 0 ? '1e400' : '-1e400'
