import { shown } from '../../../shared/validation/issues.ts'

/** Levels of a body. Beyond this limit the answer is `400 invalidRequest`. */
const maxDepth = 32
/**
 * Objects and lists in a body. Beyond this limit the answer is `400 invalidRequest`. A multi has about ten in each of
 * 10,000 sub-requests; createrelationships has one object per pair.
 */
const maxContainers = 2_000_000
/** Keys of a body, without the first two of each object. Beyond this limit the answer is `400 invalidRequest`. */
export const maxKeys = 1_000_000
// A pair has only these two keys, and recurring keys are cheap to parse.
const freeKeysOfOne = 2
/** Keys of one object in a body. Beyond this limit the answer is `400 invalidRequest`. */
const maxKeysOfOne = 10_000

const [quote, backslash, colon, comma, letterU] = [0x22, 0x5c, 0x3a, 0x2c, 0x75]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * Checks depth, containers and keys of a JSON text before it is parsed: parsing millions of lists or of distinct keys
 * takes many seconds. @param bytes UTF-8; the parser finds invalid JSON later.
 * @returns the violated rule, the total number of keys, and an estimate of the memory of the parsed body.
 */
export function shapeOf(bytes: Uint8Array): { problem: string | null; keys: number; heapBytes: number } {
  const keysOpen = [0]
  let [depth, containers, keys, keysThatCount, strings, commas, wideBytes] = [0, 0, 0, 0, 0, 0, 0]
  const broken = (rule: string) => ({ problem: `the body must ${rule}`, keys, heapBytes: 0 })
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === quote) {
      strings++
      const from = at + 1
      let isAscii = true
      for (at++; at < bytes.length && bytes[at] !== quote; at++) {
        if (bytes[at] === backslash) {
          // The escape may stand for any character.
          if (bytes[++at] === letterU) isAscii = false
        } else if ((bytes[at] as number) > 0x7f) isAscii = false
      }
      if (!isAscii) wideBytes += at - from
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > maxDepth) return broken(`be at most ${maxDepth} levels deep`)
      if (++containers > maxContainers) return broken(`have at most ${maxContainers} objects and lists`)
      keysOpen[depth] = 0
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth > 0) depth--
    } else if (byte === colon) {
      keys++
      const ofOne = (keysOpen[depth] as number) + 1
      keysOpen[depth] = ofOne
      if (ofOne > freeKeysOfOne && ++keysThatCount > maxKeys) return broken(`have at most ${maxKeys} keys`)
      if (ofOne > maxKeysOfOne) {
        return { ...broken(''), problem: `an object in the body must have at most ${maxKeysOfOne} keys` }
      }
    } else if (byte === comma) commas++
  }
  // V8 may store two bytes for each character of a string that is not ASCII.
  const heapBytes = bytes.length + wideBytes + 64 * containers + 16 * (strings - keys) + 8 * commas
  return { problem: null, keys, heapBytes }
}

const forbiddenKeys = ['__proto__', 'constructor', 'prototype']

/**
 * Finds a forbidden key in a parsed body, whose escape sequences are decoded, or a key that occurs twice in one object.
 * The parser keeps only the last value of such a key.
 * @param text the JSON text. @param keys its total number of keys, as counted by `shapeOf`.
 */
export function keyProblem(body: unknown, text: string, keys: number): string | null {
  const open: object[] = []
  const add = (value: unknown) => {
    if (typeof value === 'object' && value !== null) open.push(value)
  }
  let kept = 0
  add(body)
  for (let at = open.pop(); at; at = open.pop()) {
    if (Array.isArray(at)) {
      for (let index = 0; index < at.length; index++) add(at[index])
      continue
    }
    for (const key of forbiddenKeys) if (Object.hasOwn(at, key)) return `the body must not have a key named ${key}`
    for (const key in at) {
      kept++
      add((at as Record<string, unknown>)[key])
    }
  }
  if (kept === keys) return null
  return `the body must not have the key ${JSON.stringify(shown(repeatedKey(text)))} twice in one object`
}

/** The first key that occurs twice in one object. @param text valid JSON that contains such a key. */
function repeatedKey(text: string): string {
  const keysOpen: Set<string>[] = []
  let [depth, start, end] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      start = at++
      while (text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
      end = at + 1
    } else if (code === openBrace) {
      keysOpen[++depth] = new Set()
    } else if (code === closeBrace) {
      depth--
    } else if (code === colon) {
      const key: string = JSON.parse(text.slice(start, end))
      if (keysOpen[depth]?.has(key)) return key
      keysOpen[depth]?.add(key)
    }
  }
  return ''
}
