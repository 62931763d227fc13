/**
 * JSON as a replay client must read it: an integer is a BigInt, what has a point or an exponent is a number. A packet's
 * `1` and `1.0` are different values, and 2^53+1 is not 2^53.
 */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, function reviver(this: unknown, _key, value, ...rest: unknown[]) {
    const source = (rest[0] as { source?: string } | undefined)?.source
    if (typeof value !== 'number' || source === undefined) return value
    return /[.eE]/.test(source) ? value : BigInt(source)
  })
}
