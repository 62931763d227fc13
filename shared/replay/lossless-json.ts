import { floatText } from '../cypher/values.ts'

/**
 * Parses JSON for replay: an integer becomes a BigInt, a literal with a point or an exponent a number. In a packet `1`
 * and `1.0` are different values, and 2^53+1 is not 2^53.
 */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, function reviver(this: unknown, _key, value, ...rest: unknown[]) {
    const source = (rest[0] as { source?: string } | undefined)?.source
    if (typeof value !== 'number' || source === undefined) return value
    return /[.eE]/.test(source) ? value : BigInt(source)
  })
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** The JSON that `parseLossless` reads back as the same value. */
export const stringifyLossless = (value: unknown): string =>
  JSON.stringify(value, (_key, one) => {
    if (typeof one === 'bigint') return rawJSON(String(one))
    if (typeof one !== 'number') return one
    // Read from a literal out of range, as any such literal is.
    return rawJSON(Number.isFinite(one) ? floatText(one) : one > 0 ? '1e400' : '-1e400')
  })
