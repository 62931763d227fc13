import { expect, test } from 'vitest'
import { createPacketWriter } from '../../../packet/parts/packet-writer.ts'
import { partLimits } from '../../../packet/parts/part-buffer.ts'
import { packetErrors } from '../../../shared/publish/pairs/packet-errors.ts'
import { pairOf } from '../pair-of.ts'

/** Writes a packet of one-pair parts. @returns the buffers of its parts, whether or not they were stored. */
async function memoryOf(parts: number, deliver: () => Promise<void> = async () => {}): Promise<Set<ArrayBufferLike>> {
  const used = new Set<ArrayBufferLike>()
  const writer = createPacketWriter({
    limits: partLimits(1),
    maxPairs: 1_000,
    errors: packetErrors,
    sink: async ({ bytes }) => {
      used.add(bytes.buffer)
      await deliver()
    },
  })
  for (let value = 0; value < parts; value++) await writer.write(pairOf(value), 'a pair')
  await writer.end()
  return used
}

const shared = (some: Set<ArrayBufferLike>, others: Set<ArrayBufferLike>) => [...some].filter((one) => others.has(one))

test('a packet releases its buffers to the next one', async () => {
  const first = await memoryOf(3)
  const second = await memoryOf(3)
  expect(shared(second, first)).not.toEqual([])
})

test('concurrent packets share no buffers', async () => {
  const gate = Promise.withResolvers<void>()
  const meanwhile: Set<ArrayBufferLike>[] = []
  const held = memoryOf(2, () => gate.promise)
  for (let packet = 0; packet < 3; packet++) meanwhile.push(await memoryOf(3))
  gate.resolve()
  const own = await held
  expect(own.size).toBe(2)
  for (const others of meanwhile) expect(shared(others, own)).toEqual([])
})

test('a failed packet releases no buffers, because its parts may still be in flight', async () => {
  const failed = new Set<ArrayBufferLike>()
  const writer = createPacketWriter({
    limits: partLimits(1),
    maxPairs: 1_000,
    errors: packetErrors,
    sink: async ({ bytes }) => {
      failed.add(bytes.buffer)
      throw new Error('no answer')
    },
  })
  await writer.write(pairOf(1), 'a pair')
  await expect(writer.end()).rejects.toThrow('no answer')
  await writer.settle()
  for (let packet = 0; packet < 3; packet++) expect(shared(await memoryOf(3), failed)).toEqual([])
})
