import { expect, test } from 'vitest'
import { countValues } from '../../../shared/origin/values.ts'

const sized = (marker: number, bytesOfSize: number, size: number) => {
  const bytes = Buffer.alloc(1 + bytesOfSize, marker)
  bytes.writeUIntBE(size, 1, bytesOfSize)
  return bytes
}

/** Three values of a type whose markers tell sizes of one, two and four bytes. */
const inAllSizes = (firstMarker: number) =>
  Buffer.concat(
    [
      [1, 20],
      [2, 300],
      [4, 9],
    ].flatMap(([bytesOfSize = 0, size = 0], index) => [
      sized(firstMarker + index, bytesOfSize, size),
      Buffer.alloc(size),
    ]),
  )

test.each<[string, number, Buffer]>([
  ['integers of a byte', 3, Buffer.from([0x00, 0x7f, 0xf0])],
  ['null, true and false', 3, Buffer.from([0xc0, 0xc2, 0xc3])],
  [
    'numbers',
    5,
    Buffer.from([0xc8, 9, 0xc9, 9, 9, 0xca, 9, 9, 9, 9, 0xcb, ...Array(8).fill(9), 0xc1, ...Array(8).fill(9)]),
  ],
  ['short texts', 2, Buffer.from([0x80, 0x83, 0x01, 0x02, 0x03])],
  ['texts', 3, inAllSizes(0xd0)],
  ['bytes', 3, inAllSizes(0xcc)],
  ['lists with what is in them', 5, Buffer.concat([Buffer.from([0x92, 1, 2, 0x90]), sized(0xd6, 4, 0)])],
  ['maps with keys and values', 4, Buffer.concat([Buffer.from([0xa1, 0x81, 0x61, 1]), sized(0xd9, 2, 0)])],
  ['structures with their fields', 3, Buffer.from([0xb1, 0x71, 0x91, 0x05])],
  ['a size beyond the end', 1, sized(0xd2, 4, 2 ** 32 - 1)],
  ['a size that is cut off', 1, Buffer.from([0xd2, 1])],
])('counts %s', (_what, count, bytes) => {
  expect(countValues(bytes)).toBe(count)
})
