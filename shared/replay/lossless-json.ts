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
