import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Topic } from '../../../packet/kinds/statement.ts'
import { createShapeTally, type PacketShape } from '../../../packet/packet-shape.ts'

const node = (label: string): Topic => ({ kind: 'nodeUpsert', label })
const cleanup = (label: string, type: string): Topic => ({ kind: 'cleanup', label, type })
const relationship = (label: string, type: string, to: string): Topic => ({
  kind: 'relationshipUpsert',
  label,
  type,
  to,
})

const tallied = (...topics: readonly (Topic | [Topic, number])[]): PacketShape => {
  const tally = createShapeTally()
  for (const one of topics) Array.isArray(one) ? tally.add(...one) : tally.add(one)
  return tally.read()
}

test('pairs are counted by kind, label, type and end, in the order in which they first come', () => {
  expect(
    tallied(
      ...[node('A'), relationship('A', 'T', 'B'), node('A'), node('B'), { ...node('A') }],
      ...[
        relationship('B', 'T', 'A'),
        relationship('A', 'T', 'B'),
        relationship('A', 'T', 'A'),
        cleanup('A', 'T'),
        cleanup('A', 'U'),
      ],
      [{ kind: 'nodeDelete', label: 'A' }, 500],
    ),
  ).toEqual({
    counts: [
      { kind: 'nodeUpsert', label: 'A', count: 3 },
      { kind: 'relationshipUpsert', label: 'A', type: 'T', to: 'B', count: 2 },
      { kind: 'nodeUpsert', label: 'B', count: 1 },
      { kind: 'relationshipUpsert', label: 'B', type: 'T', to: 'A', count: 1 },
      { kind: 'relationshipUpsert', label: 'A', type: 'T', to: 'A', count: 1 },
      { kind: 'cleanup', label: 'A', type: 'T', count: 1 },
      { kind: 'cleanup', label: 'A', type: 'U', count: 1 },
      { kind: 'nodeDelete', label: 'A', count: 500 },
    ],
    others: 0,
  })
})

test('the list has at most 1,000 topics and 100,000 characters of names; what is not listed is counted', () => {
  const many = tallied(...Array.from({ length: 1_200 }, (_, index) => node(`L${index}`)), node('L0'), node('L1199'))
  expect([many.counts.length, many.counts[0]?.count, many.others]).toEqual([1_000, 2, 201])
  const long = tallied(
    ...Array.from({ length: 20 }, (_, index) => node(`${index} ${'x'.repeat(9_970)}`)),
    node('short'),
  )
  expect([long.counts.length, long.others]).toEqual([11, 10])
  expect(long.counts.at(-1)?.label).toBe('short')
})

test('what a slice did not list is counted with what the whole does not list', () => {
  const merged = createShapeTally()
  merged.merge({ counts: [{ ...node('A'), count: 2 }], others: 5 })
  merged.merge({ counts: [{ ...node('A'), count: 3 }], others: 7 })
  expect(merged.read()).toEqual({ counts: [{ kind: 'nodeUpsert', label: 'A', count: 5 }], others: 12 })
})

test('the shapes of slices together are the shape of the whole', () => {
  const topic = fc.oneof(
    fc.constantFrom('A', 'B', 'C').map(node),
    fc.tuple(fc.constantFrom('A', 'B'), fc.constantFrom('T', 'U')).map(([label, type]) => cleanup(label, type)),
    fc
      .tuple(fc.constantFrom('A', 'B'), fc.constantFrom('T'), fc.constantFrom('A', 'B'))
      .map((it) => relationship(...it)),
  )
  fc.assert(
    fc.property(fc.array(fc.array(topic)), (slices) => {
      const merged = createShapeTally()
      for (const slice of slices) merged.merge(tallied(...slice))
      expect(merged.read()).toEqual(tallied(...slices.flat()))
    }),
  )
})
