const maxDepth = 32
// A multi has some ten objects and lists in each of 10,000 sub-requests, createrelationships one for each pair: these
// have two keys each, always the same, which cost little.
const maxContainers = 2_000_000
const maxKeys = 1_000_000
const freeKeysOfOne = 2
const maxKeysOfOne = 10_000

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]

/**
 * What is wrong with the shape of a JSON text, told before any of it becomes objects: to parse millions of lists, or of
 * keys that differ, takes many seconds. @param bytes UTF-8; may be no JSON, which the parser tells.
 */
export function shapeProblem(bytes: Uint8Array): string | null {
  const keysOpen = [0]
  let [depth, containers, keys] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === quote) {
      for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return `the body must be at most ${maxDepth} levels deep`
      if (++containers > maxContainers) return `the body must have at most ${maxContainers} objects and lists`
      keysOpen[depth] = 0
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth > 0) depth--
    } else if (byte === colon) {
      const ofOne = (keysOpen[depth] as number) + 1
      keysOpen[depth] = ofOne
      if (ofOne > freeKeysOfOne && ++keys > maxKeys) return `the body must have at most ${maxKeys} keys`
      if (ofOne > maxKeysOfOne) return `an object in the body must have at most ${maxKeysOfOne} keys`
    }
  }
  return null
}

const forbiddenKeys = ['__proto__', 'constructor', 'prototype']

/** A key anywhere in a parsed body that would name what every object has; escapes in the text are undone by now. */
export function keyProblem(body: unknown): string | null {
  const open: object[] = []
  const add = (value: unknown) => {
    if (typeof value === 'object' && value !== null) open.push(value)
  }
  add(body)
  for (let at = open.pop(); at; at = open.pop()) {
    if (Array.isArray(at)) {
      for (let index = 0; index < at.length; index++) add(at[index])
      continue
    }
    for (const key of forbiddenKeys) if (Object.hasOwn(at, key)) return `the body must not have a key named ${key}`
    for (const key in at) add((at as Record<string, unknown>)[key])
  }
  return null
}
