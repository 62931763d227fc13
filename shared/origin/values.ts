const [tinyString, tinyList, tinyStruct, tinyEnd] = [0x80, 0x90, 0xb0, 0xc0]

/** Bytes after each PackStream marker: of a fixed-size value, of a size prefix, of an element count. */
const fixedBytes: Record<number, number> = { 193: 8, 200: 1, 201: 2, 202: 4, 203: 8 }
const sizedBytes: Record<number, number> = { 204: 1, 205: 2, 206: 4, 208: 1, 209: 2, 210: 4 }
const countBytes: Record<number, number> = { 212: 1, 213: 2, 214: 4, 216: 1, 217: 2, 218: 4, 220: 2, 221: 3 }

/**
 * Counts the values of a PackStream message at any depth, map keys included: each becomes an object, though it may be a
 * single byte. An unknown marker counts as a value.
 */
export function countValues(message: Uint8Array): number {
  let count = 0
  for (let at = 0; at < message.length; count++) {
    const marker = message[at++] as number
    if (marker < tinyString || marker >= 0xf0) continue
    if (marker < tinyList) at += marker & 0x0f
    else if (marker < tinyEnd) at += marker >= tinyStruct ? 1 : 0
    else at += fixedBytes[marker] ?? countBytes[marker] ?? sizedAt(message, at, sizedBytes[marker] ?? 0)
  }
  return count
}

function sizedAt(message: Uint8Array, at: number, bytesOfSize: number): number {
  let size = 0
  for (let index = 0; index < bytesOfSize; index++) size = size * 256 + (message[at + index] ?? 0)
  return bytesOfSize + size
}
