import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { type Origin, openOrigin } from '../../../shared/origin/connect.ts'
import { buildPacket } from '../../../shared/publish/build-packet.ts'
import { defaultSizes, nothingLearned } from '../../../shared/read/reading.ts'
import { findRelationships } from '../../../shared/read/relationships-by-own-id.ts'
import { createRelationshipSchema } from '../../../shared/read/schema.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'

const { neo4j } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Person')
// Sorts before all other types, including types of other tests.
const type = (at: number) => `!${label}_${String(at).padStart(3, '0')}`
const types = Array.from({ length: 120 }, (_, at) => type(at))
const [indexed, withoutIndex] = [types.slice(5), types.slice(0, 5)]

await run(driver, `CREATE (:${label} {id: 'a'}), (:${label} {id: 'b'})`)
const ends = `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'})`
for (const one of types) await run(driver, `${ends} CREATE (a)-[:\`${one}\` {grn: '${one}'}]->(b)`)
/** Runs a statement for each type with an index, in one transaction: after each, Neo4j plans all queries again. */
async function changeIndexes(statement: (type: string) => string): Promise<void> {
  await using session = driver.session()
  await session.executeWrite(async (tx) => {
    for (const one of indexed) await tx.run(statement(one))
  })
}
await changeIndexes((one) => `CREATE INDEX \`${one}\` FOR ()-[r:\`${one}\`]-() ON (r.grn)`)
afterAll(() => changeIndexes((one) => `DROP INDEX \`${one}\``))
for (const one of indexed) await run(driver, 'CALL db.awaitIndex($one, 60)', { one })

const requestOf = (relationshipIds: string[]) =>
  parsePublishRequest({
    ...database(neo4j, label, 'id'),
    relationshipIds,
    relationshipIdField: 'grn',
    preventCleanup: true,
    returnOnly: true,
  }).request

const readingOf = (origin: Origin) => ({
  origin,
  plan: planOf(requestOf([])),
  sizes: defaultSizes,
  ...nothingLearned(),
  schema: createRelationshipSchema(origin),
})

async function build(ids: readonly string[][]) {
  let reads = 0
  const observe = (operation: string) => {
    if (operation === 'read') reads++
  }
  const found: unknown[] = []
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    const { statements } = JSON.parse(bytes.toString()) as { statements: { parameters: { grn: string } }[] }
    found.push(...statements.map(({ parameters }) => parameters.grn))
  }
  const limits = { batchSize: 100, maxPairs: 1_000, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }
  const order = { requests: ids.map(requestOf), syntax: 'dollar' as const, ...limits }
  const { signal } = new AbortController()
  const { report } = await buildPacket(order, {
    originPolicy: { ...settings, observe },
    sink,
    signal,
    onProgress: () => {},
  })
  return { reads, found: found.sort(), report }
}

test('relationships of any type are found by their ids with few queries', async () => {
  const named = [types.slice(0, 60), types.slice(60)]
  const { reads, found } = await build([...named, ...named, ...named, ...named])
  expect(new Set(found)).toEqual(new Set(types))
  expect(found).toHaveLength(4 * types.length)
  // Each query covers 50 types, and other tests add types as well.
  expect(reads / 8).toBeLessThan(20)
})

test('the report names the types that lack an index, and no others', async () => {
  const { report } = await build([types])
  const mine = report.missingIndexes?.filter(({ type }) => type.startsWith(`!${label}`))
  expect(mine).toEqual(withoutIndex.map((type) => ({ type, property: 'grn' })))
  const { report: another } = await build([['nothing']])
  expect(another.missing.relationshipIds.count).toBe(1)
})

test('a newly created type is seen by the next read transaction', async () => {
  const origin = await openOrigin(requestOf([]), settings, 60)
  const reading = readingOf(origin)
  const late = `${label}_late`
  const find = async () => {
    const found: string[] = []
    for await (const { type } of findRelationships(reading, 'grn', [late], () => {})) found.push(type)
    return found
  }
  expect(await find()).toEqual([])
  await run(driver, `${ends} CREATE (a)-[:${late} {grn: '${late}'}]->(b)`)
  await expect.poll(() => origin.isDue(), { timeout: 30_000 }).toBe(true)
  expect(await origin.renew()).toBe(true)
  reading.schema.renewed()
  expect(await find()).toEqual([late])
  await origin.close()
})

test('where the origin does not list its indexes, all types are queried, and nothing is reported', async () => {
  const opened = await openOrigin(requestOf([]), settings, 60)
  const origin = { ...opened, ask: async () => null }
  const told: unknown[] = []
  const found: unknown[] = []
  for await (const one of findRelationships(readingOf(origin), 'grn', types, (index) => told.push(index))) {
    found.push([one.type, one.properties.value('grn')])
  }
  expect(found.sort()).toEqual(types.map((one) => [one, one]))
  expect(told).toEqual([])
  await origin.close()
})
