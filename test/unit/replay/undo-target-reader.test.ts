import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { createTextSet } from '../../../client/replay/hash-set.ts'
import type { Connection } from '../../../client/replay/run/connection.ts'
import { identityText } from '../../../client/replay/undo/elements.ts'
import type { Facts } from '../../../client/replay/undo/facts.ts'
import { createTargetReader } from '../../../client/replay/undo/target-reader.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { only } from '../../support/values/only.ts'

const rules = [
  { label: 'Person', property: 'id' },
  { label: 'Actor', property: 'name' },
] as const
const identity = (label: string, idProperty: string, id: unknown) => {
  return { label, idProperty, id: renderValue(id) ?? expect.unreachable() }
}

/** The identity by which an undo finds a node with both labels, where the packet names nodes by these. */
function identify(...identities: ReturnType<typeof identity>[]) {
  const named = createTextSet()
  for (const one of identities) named.add(identityText(one))
  const facts = only<Facts>({ rules: [...rules], mapped: [], named })
  const reader = createTargetReader(only<Connection>({}), facts, new AbortController().signal)
  return reader.identify({ node: 7n, labels: ['Person', 'Actor'], ids: [5n, 'Ann'] })
}

test('an undo finds a node by the identity that the packet names, as the packet may change any other', async () => {
  expect(await identify(identity('Actor', 'name', 'Ann'))).toEqual(identity('Actor', 'name', 'Ann'))
  expect(await identify(identity('Person', 'id', 5))).toEqual(identity('Person', 'id', 5n))
})

test('an undo finds a node that the packet does not name by any identity that it could name', async () => {
  expect(await identify()).toEqual(identity('Person', 'id', 5n))
})

test('an undo is refused where a packet names one node by two identities', async () => {
  const both = [identity('Person', 'id', 5n), identity('Actor', 'name', 'Ann')]
  await expect(identify(...both)).rejects.toThrow('bears several identities that the packet names')
})

test('everything that is found for many rows has the number of its row', async () => {
  const rowOf = (at: bigint, value: unknown) => ({ toObject: () => ({ at, value }) })
  /** Answers like the target: positions count from the first row of each query. */
  const run = async (_query: string, { rows }: { rows: { id: number }[] }) => ({
    records: rows.flatMap(({ id }, at) => (id % 3 === 0 ? [rowOf(BigInt(at), id), rowOf(BigInt(at), id)] : [])),
  })
  const session = () => ({ run, close: async () => {} })
  const connection = only<Connection>({ session: session as unknown as Connection['session'] })
  const facts = only<Facts>({ rules: [], mapped: [], named: createTextSet() })
  const reader = createTargetReader(connection, facts, new AbortController().signal)
  const rows = Array.from({ length: 1_201 }, (_, id) => ({ id }))
  const found: { at: number; value: number }[] = []
  for await (const row of reader.read<{ value: number }>('', rows)) found.push(row)
  expect(found.length).toBe(2 * 401)
  expect(found.filter(({ at, value }) => at !== value)).toEqual([])
})

test('an undo reads a list of a datetime at an offset and one in a zone, whose offset Bolt 3 omits', async () => {
  const noon = (offset?: bigint, zone?: string) =>
    new neo4j.types.DateTime(2024n, 7n, 1n, 12n, 0n, 0n, 0n, offset, zone)
  const run = async () => ({ records: [{ toObject: () => ({ offsets: [3_600n, 7_200n] }) }] })
  const session = () => ({ run, close: async () => {} })
  const connection = only<Connection>({ session: session as unknown as Connection['session'] })
  const facts = only<Facts>({ rules: [], mapped: [], named: createTextSet() })
  const reader = createTargetReader(connection, facts, new AbortController().signal)
  const properties = { keys: ['at'], values: [[noon(3_600n), noon(undefined, 'Europe/Berlin')]] }
  await reader.complete('node', 7n, properties)
  expect(properties.values).toEqual([[noon(3_600n), noon(7_200n, 'Europe/Berlin')]])
})
