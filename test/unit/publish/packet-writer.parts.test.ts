import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partLimits } from '../../../packet/parts/part-buffer.ts'
import { collectingWriter, pairOf, pairOfBytes } from '../pair-of.ts'

async function partsOf(count: number, limits: Parameters<typeof collectingWriter>[0]): Promise<number[]> {
  const { writer, parts } = collectingWriter(limits)
  for (let index = 0; index < count; index++) await writer.write(pairOf(index), 'a pair')
  await writer.end()
  return parts.map(({ pairs }) => pairs)
}

describe('a packet is split', () => {
  test.each([
    [4_999, [4_999]],
    [5_000, [5_000]],
    [5_001, [5_000, 1]],
    [10_000, [5_000, 5_000]],
  ])('a packet is split at 5,000 pairs: %i pairs are parts of %j', async (count, expected) => {
    expect(await partsOf(count, partLimits(5_000))).toEqual(expected)
  })

  test('a packet is split after every pair if a part may have one', async () => {
    expect(await partsOf(3, partLimits(1))).toEqual([1, 1, 1])
  })

  test('a packet is split just before a part exceeds its size limit', async () => {
    const { writer, parts } = collectingWriter({ maxBytes: 10_000 })
    for (let index = 0; index < 20; index++) await writer.write(pairOfBytes(1_000), 'a pair')
    await writer.end()
    expect(parts.map(({ pairs }) => pairs)).toEqual([9, 9, 2])
    for (const { bytes } of parts) expect(bytes).toBeLessThanOrEqual(10_000)
  })

  test('a packet is split before the metadata of the next pair exceeds the size limit', async () => {
    const { writer, parts } = collectingWriter({ maxBytes: 1_000 })
    for (const id of ['a', 'b']) {
      await writer.write(pairOf(id), 'a pair', (metadata) => metadata.node('id', id.repeat(500), ['id']))
    }
    await writer.end()
    expect(parts.map(({ pairs }) => pairs)).toEqual([1, 1])
    for (const { bytes } of parts) expect(bytes).toBeLessThanOrEqual(1_000)
  })

  test('a packet is split around a pair that is larger than a part by itself', async () => {
    const { writer, parts } = collectingWriter({ maxBytes: 1_000, maxPairBytes: 3_000 })
    for (const bytes of [100, 2_000, 3_000, 100, 100]) await writer.write(pairOfBytes(bytes), 'a pair')
    await writer.end()
    expect(parts.map(({ pairs }) => pairs)).toEqual([1, 1, 1, 2])
    expect(writer).toMatchObject({ pairs: 5, parts: 4, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) })
  })
})

describe('a packet is rejected', () => {
  test('a packet is rejected for a pair over the limit for one pair, named in the error', async () => {
    const { writer } = collectingWriter({ maxBytes: 1_000, maxPairBytes: 3_000 })
    await writer.write(pairOfBytes(3_000), 'the node 1')
    await expect(writer.write(pairOfBytes(3_001), 'the node 2 with the labels "Person"')).rejects.toMatchObject({
      status: 413,
      code: 'pairTooLarge',
      retryable: false,
      message: 'the node 2 with the labels "Person": its statement/parameter pair is larger than 3,000 bytes',
    })
  })

  test('a packet is rejected by size in bytes, not characters', async () => {
    const { writer } = collectingWriter({ maxPairBytes: 1_000 })
    await expect(writer.write(pairOf('é'.repeat(600)), 'the node 1')).rejects.toMatchObject({ code: 'pairTooLarge' })
  })

  test('a packet is rejected for too many pairs over all its parts', async () => {
    const { writer } = collectingWriter({ maxPairs: 2 }, 3)
    for (let index = 0; index < 3; index++) await writer.write(pairOf(index), 'a pair')
    await expect(writer.write(pairOf(3), 'a pair')).rejects.toMatchObject({
      status: 413,
      code: 'tooManyPairs',
      message: 'the packet has more than 3 statement/parameter pairs',
    })
  })
})

test('a packet without pairs is one empty part', async () => {
  const { writer, parts } = collectingWriter({})
  writer.updateMetadata((metadata) => metadata.missing('originIds', ['p1']))
  await writer.end()
  expect(parts).toEqual([{ number: 1, pairs: 0, text: '{"statements":[]}', bytes: 17 }])
  expect(writer).toMatchObject({ pairs: 0, parts: 1, bytes: 17 })
})

describe('metadata', () => {
  test('metadata is on the last pair of each part and describes that part', async () => {
    const { writer, parts } = collectingWriter({ maxPairs: 2 })
    for (const [index, type] of ['A', 'B', 'C', 'C', 'D'].entries()) {
      await writer.write(pairOf(index), 'a pair', (metadata) => {
        metadata.settings({ Person: 'id' }, null)
        metadata.relationship(type)
      })
    }
    await writer.end()
    expect(parts.map(({ text }) => text).join('\n')).toMatchInlineSnapshot(`
      "{"statements":[{"statement":"RETURN {p}","parameters":{"p":0},"metadata":null},{"statement":"RETURN {p}","parameters":{"p":1},"metadata":{"qa":{"mappedIndices":{"Person":"id"},"relationshipIdField":null,"relationships":["A","B"],"nodes":{}}}}]}
      {"statements":[{"statement":"RETURN {p}","parameters":{"p":2},"metadata":null},{"statement":"RETURN {p}","parameters":{"p":3},"metadata":{"qa":{"mappedIndices":{"Person":"id"},"relationshipIdField":null,"relationships":["C"],"nodes":{}}}}]}
      {"statements":[{"statement":"RETURN {p}","parameters":{"p":4},"metadata":{"qa":{"mappedIndices":{"Person":"id"},"relationshipIdField":null,"relationships":["D"],"nodes":{}}}}]}"
    `)
  })

  test('metadata recorded between pairs is in the current part only', async () => {
    const { writer, parts } = collectingWriter({ maxPairs: 2 })
    await writer.write(pairOf(0), 'a pair')
    writer.updateMetadata((metadata) => metadata.missing('originIds', ['p1']))
    for (let index = 1; index < 4; index++) await writer.write(pairOf(index), 'a pair')
    await writer.end()
    expect(parts.map(({ text }) => text.includes('"missing":{"originIds":["p1"]'))).toEqual([true, false])
  })
})

test('every part is JSON of the reported size within its limits, and together they hold every pair in order', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', '\\', '\n'), maxLength: 60, size: 'max' })
  const pair = fc.record({ value: text, id: text, keys: fc.array(fc.string({ maxLength: 20 }), { maxLength: 3 }) })
  const limits = { maxPairs: 5, maxBytes: 700, maxPairBytes: 1_000 }
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { maxLength: 40, size: 'max' }), async (pairs) => {
      const { writer, parts } = collectingWriter(limits)
      for (const { value, id, keys } of pairs) {
        const named = keys.map((key) => key.replaceAll(/\W/g, '_'))
        await writer.write(pairOf(value), 'a pair', (metadata) => metadata.node('id', id, named))
      }
      await writer.end()
      const statements = parts.flatMap(({ text: json, pairs: count, bytes }, index) => {
        expect(bytes).toBe(Buffer.byteLength(json))
        if (count > 1) expect(bytes).toBeLessThanOrEqual(limits.maxBytes)
        expect(parts[index]?.number).toBe(index + 1)
        const { statements: read } = JSON.parse(json) as { statements: { parameters: { p: string } }[] }
        expect(read).toHaveLength(count)
        expect(count).toBeLessThanOrEqual(limits.maxPairs)
        return read
      })
      expect(statements.map(({ parameters }) => parameters.p)).toEqual(pairs.map(({ value }) => value))
    }),
  )
})

test('metadata recorded when a part is exactly full stays in that part if no pair follows', async () => {
  const { writer, parts } = collectingWriter({ maxPairs: 2 })
  for (let index = 0; index < 2; index++) await writer.write(pairOf(index), 'a pair')
  writer.updateMetadata((metadata) => metadata.collapsed(3))
  await writer.end()
  expect(parts.map(({ text }) => JSON.parse(text).statements.at(-1).metadata.collapsed)).toEqual([3])
})
