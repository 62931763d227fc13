import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'

const { neo4j } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

/** Builds the packet of one request, one pair per part; `change` runs when the first part is handed over. */
async function build(fields: object, change: () => Promise<unknown>) {
  const { request } = parsePublishRequest({ returnOnly: true, ...fields })
  const limits = { batchSize: 1, maxPairs: 10_000, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }
  const pairs: ReturnType<typeof parsePart> = []
  let changed: Promise<unknown> | null = null
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    pairs.push(...parsePart(bytes.toString()))
    changed ??= change()
    await changed
  }
  const { signal } = new AbortController()
  const order = { requests: [request], syntax: 'dollar' as const, ...limits }
  const { report } = await buildPacket(order, { originPolicy, sink, signal, onProgress() {} })
  return { pairs, report }
}

test('a relationship created parallel to one already read is not published as well', async () => {
  const label = uniqueName('Beside')
  const blob = 'x'.repeat(80_000)
  await run(driver, `CREATE (:${label} {id: 'a'})-[:T {grn: 'first'}]->(:${label} {id: 'b'})`)
  for (const id of ['a', 'b']) {
    const draw = `UNWIND range(1, 200) AS i CREATE (n)-[:T {blob: $blob}]->(:${label} {id: '${id}-' + i})`
    await run(driver, `MATCH (n:${label} {id: '${id}'}) ${draw}`, { blob })
  }
  // The relationships of the two nodes are too large to be read together; the change happens before the second read.
  const beside = `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) CREATE (a)-[:T {grn: 'second'}]->(b)`
  const fields = { originIds: ['a', 'b'], relationships: ['T'], preventCleanup: true }
  const { pairs } = await build({ ...database(neo4j, label, 'id'), ...fields }, () => run(driver, beside))
  const between = pairs.filter(({ parameters: { a_id, b_id } }) => a_id === 'a' && b_id === 'b')
  expect(between.map(({ parameters }) => parameters.grn)).toEqual(['first'])
})

test('a float id whose value only its full digits denote is found, not reported missing', async () => {
  const label = uniqueName('Float')
  await run(driver, `CREATE (:${label} {id: 2.0 ^ 60})`)
  const fields = { originIds: [String(2n ** 60n)], metadata: true }
  const { report, pairs } = await build({ ...database(neo4j, label, 'id'), ...fields }, async () => {})
  expect([pairs.length, report.missing.originIds.count]).toEqual([1, 0])
})
