import { expect, test } from 'vitest'
import type { StatementCounts, StatementKind } from '../../../packet/kinds/statement.ts'
import { pairText } from '../../../packet/pair.ts'
import { createPacketWriter } from '../../../packet/parts/packet-writer.ts'
import type { PartLimits } from '../../../packet/parts/part-buffer.ts'
import { packetErrors } from '../../../shared/publish/pairs/packet-errors.ts'
import { pairOf, topicOf } from '../pair-of.ts'

const ofKind = (kind: StatementKind) => ({ ...pairOf(1), shape: { ...pairOf(1).shape, topic: topicOf(kind) } })
const generous: PartLimits = { maxPairs: 5_000, maxBytes: 1_000_000, maxPairBytes: 2_000_000 }

/** A writer, and the counts of the parts that it sealed. */
function countingWriter(limits: Partial<PartLimits>) {
  const counts: StatementCounts[] = []
  const writer = createPacketWriter({
    limits: { ...generous, ...limits },
    maxPairs: 100_000,
    errors: packetErrors,
    sink: async ({ statements }) => {
      counts.push(statements)
    },
  })
  return { writer, counts }
}

test('each part counts its pairs by kind, written as pairs or as bytes', async () => {
  const { writer, counts } = countingWriter({ maxPairs: 3 })
  for (const kind of ['nodeUpsert', 'nodeUpsert', 'cleanup'] as const) await writer.write(ofKind(kind), 'a pair')
  await writer.add(Buffer.from(pairText(pairOf(1))), topicOf('relationshipUpsert'), 'a pair')
  await writer.write(ofKind('cleanup'), 'a pair')
  await writer.end()
  expect(counts).toEqual([
    { nodeUpsert: 2, cleanup: 1 },
    { relationshipUpsert: 1, cleanup: 1 },
  ])
})

test('a part without pairs counts none', async () => {
  const { writer, counts } = countingWriter({})
  await writer.end()
  expect(counts).toEqual([{}])
})

test('postback statements are counted once each, also where only a trial shows whether a pair fits', async () => {
  const { writer, counts } = countingWriter({ maxBytes: 1_000 })
  for (let index = 0; index < 10; index++) {
    await writer.write(ofKind('nodeUpsert'), 'a pair', (metadata) => metadata.postsBack('{"statement":"RETURN 1"}'))
  }
  await writer.end()
  expect(counts.length).toBeGreaterThan(1)
  for (const { nodeUpsert, postback } of counts) expect(postback).toBe(nodeUpsert)
  expect(counts.reduce((sum, { postback = 0 }) => sum + postback, 0)).toBe(10)
})
