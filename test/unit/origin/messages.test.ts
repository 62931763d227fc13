import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMessageReader } from '../../../shared/origin/messages.ts'
import { inChunks } from '../../support/origins/fake-bolt.ts'
import { busySeconds } from '../../support/programs/busy-seconds.ts'

/** The messages read from bytes that arrive in these pieces. */
function messagesOf(pieces: readonly Buffer[], limitBytes = 1_000_000): Buffer[] {
  const messages: Buffer[] = []
  const read = createMessageReader({
    limitBytes: () => limitBytes,
    take: (message) => messages.push(Buffer.from(message)),
    held: () => {},
  })
  for (const piece of pieces) read(piece)
  return messages
}

function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number
    cut.push(bytes.subarray(at, at + size))
    at += size
  }
  return cut
}

test('messages are read unchanged for any chunking, any fragmentation, and keep-alives between them', () => {
  const message = fc.record({
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    chunkBytes: fc.integer({ min: 1, max: 400 }),
    keepAlives: fc.integer({ min: 0, max: 2 }),
  })
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }), (messages, sizes) => {
      const wire = messages.flatMap(({ bytes, chunkBytes, keepAlives }) => [
        Buffer.alloc(2 * keepAlives),
        inChunks(bytes, chunkBytes),
      ])
      expect(messagesOf(pieces(Buffer.concat(wire), sizes))).toEqual(messages.map(({ bytes }) => bytes))
    }),
  )
})

test('a message larger than the maximum chunk is reassembled', () => {
  const bytes = Buffer.from(Array.from({ length: 900_000 }, (_, index) => index % 251))
  for (const size of [1_000, 65_536, 2_000_000]) expect(messagesOf(pieces(inChunks(bytes), [size]))).toEqual([bytes])
})

test('the reader tells after each byte whether a message has begun that has not ended', () => {
  const read = createMessageReader({ limitBytes: () => 1_000, take: () => {}, held: () => {} })
  const wire = Buffer.concat([Buffer.alloc(2), inChunks(Buffer.from([1, 2, 3, 4, 5]), 3)])
  const told = [...wire].map((byte) => (read(Buffer.from([byte])) ? 'x' : '-')).join('')
  // An empty message; two chunks, each after its length; the end.
  expect(told).toBe(['--', '-xxxx', 'xxxx', 'x-'].join(''))
})

describe('a message over its limit', () => {
  test.each([1, 100, 0xffff])('a message over its limit is rejected, in chunks of %i', (chunkBytes) => {
    const wire = pieces(inChunks(Buffer.alloc(100_001), chunkBytes), [10_000])
    expect(() => messagesOf(wire, 100_000)).toThrow('a message is larger than 100000 bytes')
    expect(messagesOf(pieces(inChunks(Buffer.alloc(100_000), chunkBytes), [10_000]), 100_000)).toHaveLength(1)
  })

  test('a message over its limit is rejected by the limit of its type', () => {
    const kinds: (number | undefined)[] = []
    const read = createMessageReader({
      limitBytes: (tag) => kinds.push(tag) && (tag === 0x71 ? 100_000 : 10_000),
      take: () => {},
      held: () => {},
    })
    for (const piece of pieces(inChunks(Buffer.from([0xb1, 0x71, ...Array(50_000).fill(0)])), [5_000])) read(piece)
    const other = pieces(inChunks(Buffer.from([0xb1, 0x70, ...Array(50_000).fill(0)])), [5_000])
    expect(() => other.forEach(read)).toThrow('a message is larger than 10000 bytes')
    expect(new Set(kinds)).toEqual(new Set([undefined, 0x71, 0x70]))
  })
})

test('a megabyte in one-byte chunks is read quickly', () => {
  const wire = inChunks(Buffer.alloc(1_000_000), 1)
  const seconds = busySeconds(() => expect(messagesOf([wire])).toHaveLength(1))
  expect(seconds).toBeLessThan(2)
})
