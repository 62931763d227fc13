import { randomUUID } from 'node:crypto'
import { SourceBroken } from './broken.ts'
import { floatText } from './values/values.ts'

/**
 * Parses JSON for replay: an integer becomes a BigInt, a literal with a point or an exponent becomes a number. In a
 * packet `1` and `1.0` are different values, and 2^53+1 is not 2^53.
 * @throws SourceBroken for an integer beyond 64 bits
 */
export const parseLossless = (text: string): unknown => revived(JSON.parse(markNumbers(text)))

// The key of an object that stands for a number; random, so that no packet has it.
const mark = randomUUID()
const [quote, backslash, minus, zero, nine] = [...'"\\-09'].map((one) => one.charCodeAt(0)) as [
  ...[number, number, number, number, number],
]
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Replaces the numbers that `JSON.parse` would change, or could not distinguish from an integer, with objects that hold
 * their literals. A reviver could see the literals too, but takes three times as long.
 */
function markNumbers(text: string): string {
  let marked = ''
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    if (code !== minus && !(code >= zero && code <= nine)) continue
    literal.lastIndex = at
    if (!literal.test(text)) continue
    const source = text.slice(at, literal.lastIndex)
    const value = Number(source)
    if (isInteger(source) ? !Number.isSafeInteger(value) : Number.isInteger(value)) {
      marked += `${text.slice(copied, at)}{"${mark}":"${source}"}`
      copied = literal.lastIndex
    }
    at = literal.lastIndex - 1
  }
  return marked + text.slice(copied)
}

/** Offset of the quote that ends the string. */
function endOfString(text: string, start: number): number {
  // Few strings have a quote in them, and this search is many times faster.
  const next = text.indexOf('"', start + 1)
  if (next !== -1 && text.charCodeAt(next - 1) !== backslash) return next
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}

const isInteger = (source: string) => !/[.eE]/.test(source)

function revived(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = revived(value[at])
    return value
  }
  const object = value as Record<string, unknown>
  if (mark in object) return numberOf(object[mark] as string)
  for (const key in object) object[key] = revived(object[key])
  return object
}

function numberOf(source: string): bigint | number {
  if (!isInteger(source)) return Number(source)
  const integer = BigInt(source)
  // No database stores a larger integer, and a driver would send only its last 64 bits.
  if (BigInt.asIntN(64, integer) !== integer) throw new SourceBroken(`${source} is not a 64-bit integer`)
  return integer
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

// A number that is not finite was read from a literal that is out of range, so this writes a literal out of range.
const numberText = (value: number): string =>
  Number.isFinite(value) ? floatText(value) : value > 0 ? '1e400' : '-1e400'
