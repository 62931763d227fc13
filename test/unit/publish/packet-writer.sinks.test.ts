import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { pairText } from '../../../packet/pair.ts'
import { createPacketWriter, type SealedPart } from '../../../packet/parts/packet-writer.ts'
import { partLimits } from '../../../packet/parts/part-buffer.ts'
import { packetErrors } from '../../../shared/publish/pairs/packet-errors.ts'
import { collectingWriter, pairOf, topicOf } from '../pair-of.ts'

const valuesOf = (bytes: Buffer): unknown[] =>
  JSON.parse(bytes.toString()).statements.map(({ parameters }: { parameters: { p: unknown } }) => parameters.p)

/** A writer of one-pair parts whose sinks complete on demand. */
function gatedWriter() {
  const gates: (PromiseWithResolvers<void> & { part: SealedPart })[] = []
  const writer = createPacketWriter({
    limits: partLimits(1),
    maxPairs: 1_000,
    errors: packetErrors,
    sink: async (part) => {
      const gate = { ...Promise.withResolvers<void>(), part }
      gates.push(gate)
      await gate.promise
    },
  })
  return { writer, gates, write: (value: unknown) => writer.write(pairOf(value), 'a pair') }
}

/** Whether a promise is settled after one turn of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = () => {
    settled = true
  }
  promise.then(note, note)
  await turn()
  return settled
}

describe('parts in flight', () => {
  test('parts in flight are at most two while a third fills; the next write waits for one to be stored', async () => {
    const { gates, write } = gatedWriter()
    for (const value of [1, 2, 3]) await write(value)
    expect(gates.map(({ part }) => part.number)).toEqual([1, 2])
    const fourth = write(4)
    expect(await isSettled(fourth)).toBe(false)
    gates[1]?.resolve()
    await fourth
    expect(gates.map(({ part }) => part.number)).toEqual([1, 2, 3])
  })

  test('parts in flight keep their bytes until stored, whatever is written meanwhile', async () => {
    const { gates, write, writer } = gatedWriter()
    for (const value of ['a', 'b', 'c']) await write(value)
    const fourth = write('d')
    gates[1]?.resolve()
    await fourth
    const ended = writer.end()
    await turn()
    expect([0, 2, 3].map((index) => valuesOf(gates[index]?.part.bytes ?? Buffer.of()))).toEqual([['a'], ['c'], ['d']])
    for (const gate of gates) gate.resolve()
    await ended
  })

  test('parts in flight do not change a pair that waits for the next part and may be overwritten', async () => {
    const { writer, parts } = collectingWriter({ maxPairs: 1 })
    const bytes = Buffer.from(pairText(pairOf('old')))
    const added = [0, 1].map(() => writer.add(bytes, topicOf('nodeUpsert'), 'a pair'))
    bytes.write('new', bytes.indexOf('old'))
    await added[1]
    await writer.end()
    expect(added[0]).toBeUndefined()
    expect(parts.map(({ text }) => valuesOf(Buffer.from(text)))).toEqual([['old'], ['old']])
  })

  test('parts in flight are all awaited at the end', async () => {
    const { gates, write, writer } = gatedWriter()
    for (const value of [1, 2, 3]) await write(value)
    const ended = writer.end()
    for (const index of [2, 0]) {
      gates[index]?.resolve()
      expect(await isSettled(ended)).toBe(false)
    }
    gates[1]?.resolve()
    await ended
    expect(writer).toMatchObject({ pairs: 3, parts: 3 })
  })
})

describe('a part that is not stored fails the packet', () => {
  const broken = new Error('the store is away')

  /** Writes one-pair parts, one of which fails at once, with event loop turns between them; then ends. */
  async function packet(pairs: number, brokenPart: number): Promise<void> {
    const writer = createPacketWriter({
      limits: partLimits(1),
      maxPairs: 1_000,
      errors: packetErrors,
      sink: async ({ number }) => {
        if (number === brokenPart) throw broken
      },
    })
    for (let value = 0; value < pairs; value++) {
      await writer.write(pairOf(value), 'a pair')
      await turn()
    }
    await writer.end()
  }

  test('a part that is not stored fails the packet when it is the only one', async () => {
    await expect(packet(1, 1)).rejects.toBe(broken)
  })

  test('a part that is not stored fails the packet when it is the last one', async () => {
    await expect(packet(5, 5)).rejects.toBe(broken)
  })

  test('a part that is not stored fails the packet when others are written after it', async () => {
    await expect(packet(5, 2)).rejects.toBe(broken)
  })

  test('a part that is not stored fails the packet when it fails while the end is awaited', async () => {
    const { gates, write, writer } = gatedWriter()
    for (const value of [1, 2]) await write(value)
    const ended = writer.end()
    ended.catch(() => {})
    await turn()
    gates[1]?.resolve()
    gates[0]?.reject(broken)
    await expect(ended).rejects.toBe(broken)
  })

  test('a part that is not stored fails the packet when a write is waiting for it', async () => {
    const { gates, write } = gatedWriter()
    for (const value of [1, 2, 3]) await write(value)
    const waiting = write(4)
    gates[0]?.reject(broken)
    await expect(waiting).rejects.toBe(broken)
  })
})
