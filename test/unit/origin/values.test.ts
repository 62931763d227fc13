import { expect, test } from 'vitest'
import { countValues } from '../../../shared/origin/values.ts'

const sized = (marker: number, bytesOfSize: number, size: number) => {
  const bytes = Buffer.alloc(1 + bytesOfSize, marker)
  bytes.writeUIntBE(size, 1, bytesOfSize)
  return bytes
}

test.each<[string, number, Buffer]>([
  ['integers of a byte', 3, Buffer.from([0x00, 0x7f, 0xf0])],
  ['null, true and false', 3, Buffer.from([0xc0, 0xc2, 0xc3])],
  [
    'numbers',
    5,
    Buffer.from([0xc8, 9, 0xc9, 9, 9, 0xca, 9, 9, 9, 9, 0xcb, ...Array(8).fill(9), 0xc1, ...Array(8).fill(9)]),
  ],
  ['short texts', 2, Buffer.from([0x80, 0x83, 0x01, 0x02, 0x03])],
  [
    'texts',
    3,
    Buffer.concat([
      sized(0xd0, 1, 20),
      Buffer.alloc(20),
      sized(0xd1, 2, 300),
      Buffer.alloc(300),
      sized(0xd2, 4, 9),
      Buffer.alloc(9),
    ]),
  ],
  [
    'bytes',
    3,
    Buffer.concat([
      sized(0xcc, 1, 20),
      Buffer.alloc(20),
      sized(0xcd, 2, 300),
      Buffer.alloc(300),
      sized(0xce, 4, 9),
      Buffer.alloc(9),
    ]),
  ],
  ['lists with what is in them', 5, Buffer.concat([Buffer.from([0x92, 1, 2, 0x90]), sized(0xd6, 4, 0)])],
  ['maps with keys and values', 4, Buffer.concat([Buffer.from([0xa1, 0x81, 0x61, 1]), sized(0xd9, 2, 0)])],
  ['structures with their fields', 3, Buffer.from([0xb1, 0x71, 0x91, 0x05])],
  ['a size beyond the end', 1, sized(0xd2, 4, 2 ** 32 - 1)],
  ['a size that is cut off', 1, Buffer.from([0xd2, 1])],
])('counts %s', (_what, count, bytes) => {
  expect(countValues(bytes)).toBe(count)
})
