import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { createObservations, detectConflicts, distinctTreatments } from '../../shared/publish/build/conflicts.ts'
import { select, writeRequest } from '../../shared/publish/build/request.ts'
import { createPairMaker } from '../../shared/publish/pairs/pair-maker.ts'
import { createPacketWriter } from '../../shared/publish/parts/packet-writer.ts'
import { partLimits } from '../../shared/publish/parts/part-buffer.ts'
import { createReport } from '../../shared/publish/parts/report.ts'
import { type KnownColumns, nothingLearned } from '../../shared/publish/read/properties.ts'
import { createRelationshipSchema } from '../../shared/publish/read/relationship-schema.ts'
import { defaultSizes } from '../../shared/publish/read/sizes.ts'
import { createUniqueness } from '../../shared/publish/read/uniqueness.ts'
import { planOf } from '../../shared/publish/request/plan.ts'
import { parsePublishRequest } from '../../shared/publish/request/rules.ts'
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

/** Reports for every kind that it has no columns. */
class NoColumns extends Map<string, never> {
  override get() {
    return { columns: null, rows: 0, misfits: 0, rowBytes: 0 } as never
  }
}

async function packetOf(known: KnownColumns, fields: object): Promise<string[]> {
  const requests = inSlices(ids, 200).map(
    (originIds) =>
      parsePublishRequest({ ...database(neo4j, label, 'id'), originIds, returnOnly: true, ...fields }).request,
  )
  const origin = await openOrigin(requests[0] as { dbUrl: string; credentials: string }, settings, 60)
  const parts: string[] = []
  const writer = createPacketWriter(partLimits(5_000), 100_000, async ({ bytes }) => {
    parts.push(bytes.toString())
  })
  const uniqueness = createUniqueness(origin)
  const detectorOf = detectConflicts(distinctTreatments(requests), createObservations())
  const [pairs, report] = [createPairMaker('dollar'), createReport()]
  for (const [at, request] of requests.entries()) {
    const plan = planOf(request)
    const context = {
      origin,
      sizes: defaultSizes,
      uniqueness,
      schema: createRelationshipSchema(origin),
      pathOf: (field: string) => field,
      ...nothingLearned(),
      known,
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
  return parts
}

test.each([
  ['nodes and relationships', { metadata: true, relationships: ['KNOWS'] }],
  [
    'outgoing relationships by their id',
    { relationships: ['KNOWS>'], relationshipIdField: 'step', preventCleanup: true },
  ],
  ['strict numbers', { metadata: true, relationships: ['KNOWS>'], numbers: 'strict' }],
  ['what is left out', { metadata: true, deleteProperties: ['rare'], protectedNodeProperties: ['born'] }],
])('a packet of %s is the same whether read by columns or by values', async (_name, fields) => {
  const known: KnownColumns = new Map()
  const byColumns = await packetOf(known, fields)
  expect([...known.values()].map(({ columns, rows }) => columns !== null && rows > 0)).not.toContain(false)
  expect(known.size).toBeGreaterThan(0)
  const byValues = await packetOf(new NoColumns(), fields)
  expect(byColumns.length).toBeGreaterThan(0)
  expect(byColumns).toEqual(byValues)
})
