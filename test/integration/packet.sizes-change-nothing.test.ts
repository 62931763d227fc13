import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../dev/requests.ts'
import { createPairMaker } from '../../packet/pair-maker.ts'
import { createPacketWriter } from '../../packet/parts/packet-writer.ts'
import { partLimits } from '../../packet/parts/part-buffer.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { packetErrors } from '../../shared/publish/pairs/packet-errors.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { createObservations, detectConflicts, distinctTreatments } from '../../shared/publish/write/conflicts.ts'
import { select, writeRequest } from '../../shared/publish/write/request.ts'
import { type BuildSizes, defaultSizes, type Learned, nothingLearned } from '../../shared/read/reading.ts'
import { createRelationshipSchema } from '../../shared/read/schema.ts'
import { createUniqueness } from '../../shared/read/uniqueness.ts'
import { planOf } from '../../shared/request/plan.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { matrix } from '../replay/type-matrix.ts'

const { neo4j } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Person')
const count = 400
const ids = Array.from({ length: count }, (_, index) => `p${index}`)

/** Early rows have one type for each key; later ones occasionally have any value, and some have extra keys. */
const everything = Object.values(matrix).flat()
const or = (usual: string, shift: number) =>
  `CASE WHEN i > 250 AND i % 20 = ${shift} THEN pool[(i * 7 + ${shift}) % size(pool)] ELSE ${usual} END`
const properties = [
  `born: ${or('date({year: 1900 + i})', 0)}`,
  `seen: ${or('datetime({epochSeconds: i * 100000, nanosecond: i % 3 * 1000})', 1)}`,
  `at: ${or('localdatetime({year: 2000, month: 1 + i % 12, day: 3, hour: i % 24})', 2)}`,
  `age: ${or('i', 3)}`,
  `name: ${or("'Person \"' + i", 4)}`,
  'maybe: CASE i % 2 WHEN 0 THEN i / 3.0 END',
  'tags: ["é", "t" + i]',
  'rare: CASE i % 50 WHEN 0 THEN true END',
]
await run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
const values = `WITH [${everything.join(', ')}] AS pool UNWIND range(0, ${count - 1}) AS i`
await run(driver, `${values} CREATE (:${label} {id: 'p' + i, ${properties.join(', ')}})`)
const far = `(b:${label} {id: 'p' + (i * 7 + step) % ${count}})`
const ends = `UNWIND [1, 1, 5] AS step MATCH (a:${label} {id: 'p' + i}), ${far}`
await run(driver, `${values} ${ends} CREATE (a)-[:KNOWS {step: step, ${properties.join(', ')}}]->(b)`)

/** Publishes. @returns the pairs in their order, without metadata. */
async function packetOf(sizes: BuildSizes, learnedOf: () => Learned, fields: object): Promise<string[]> {
  const requests = inSlices(ids, 200).map(
    (originIds) =>
      parsePublishRequest({ ...database(neo4j, label, 'id'), originIds, returnOnly: true, ...fields }).request,
  )
  const origin = await openOrigin(requests[0] as { dbUrl: string; credentials: string }, settings, 60)
  const found: string[] = []
  const writer = createPacketWriter({
    limits: partLimits(5_000),
    maxPairs: 100_000,
    errors: packetErrors,
    sink: async ({ bytes }) => {
      const { statements } = JSON.parse(bytes.toString()) as { statements: { metadata: unknown }[] }
      found.push(...statements.map(({ metadata: _, ...pair }) => JSON.stringify(pair)))
    },
  })
  const uniqueness = createUniqueness(origin)
  const detectorOf = detectConflicts(distinctTreatments(requests), createObservations())
  const [pairs, report] = [createPairMaker('dollar'), createReport()]
  for (const [at, request] of requests.entries()) {
    const plan = planOf(request)
    const context = {
      origin,
      sizes,
      uniqueness,
      schema: createRelationshipSchema(origin),
      pathOf: (field: string) => field,
      ...learnedOf(),
      conflicts: detectorOf(plan, at),
      plan,
      pairs,
      writer,
      report,
    }
    await writeRequest(context, await select(context), 0, () => {})
  }
  await writer.end()
  await origin.close()
  return found
}

test.each([
  ['nodes and relationships', { metadata: true, relationships: ['KNOWS'] }],
  [
    'outgoing relationships by their id',
    { relationships: ['KNOWS>'], relationshipIdField: 'step', preventCleanup: true },
  ],
  ['strict numbers', { metadata: true, relationships: ['KNOWS>'], numbers: 'strict' }],
  ['what is left out', { metadata: true, deleteProperties: ['rare'], protectedNodeProperties: ['born'] }],
])('a packet of %s is the same whatever is read at once, and whatever was read before', async (_name, fields) => {
  const learned = nothingLearned()
  const usual = await packetOf(defaultSizes, () => learned, fields)
  expect(usual.length).toBeGreaterThan(count)
  expect(await packetOf(defaultSizes, () => learned, fields)).toEqual(usual)
  expect(await packetOf(defaultSizes, nothingLearned, fields)).toEqual(usual)
  const few = { probe: 1, group: 50, chunk: 33 }
  expect((await packetOf(few, nothingLearned, fields)).toSorted()).toEqual(usual.toSorted())
})
