import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { nodesAtOnce, readNodes, readNodesByIds } from '../../shared/read/nodes.ts'
import { defaultSizes, nothingLearned } from '../../shared/read/reading.ts'
import { planOf } from '../../shared/request/plan.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'

const { neo4j } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Document')
const ids = Array.from({ length: 120 }, (_, index) => `d${index}`)
const text = "reduce(text = '0123456789', _ IN range(1, 15) | text + text)"
for (let start = 0; start < ids.length; start += 20) {
  await run(driver, `UNWIND $ids AS id CREATE (:${label} {id: id, text: ${text}})`, {
    ids: ids.slice(start, start + 20),
  })
}

const fields = { ...database(neo4j, label, 'id'), originIds: ids, metadata: true, returnOnly: true }
const { request } = parsePublishRequest(fields)

test('large nodes are read a few at a time once their size is known', async () => {
  const origin = await openOrigin(request, settings, 60)
  const work = { origin, plan: planOf(request), ...nothingLearned(), sizes: defaultSizes }
  expect(nodesAtOnce(work)).toBeGreaterThan(ids.length)
  expect(await readNodesByIds(work, ids, 1_000)).toBeNull()
  // With the labels, the keys and the id of a row.
  expect(nodesAtOnce(work)).toBe(Math.floor((16 * 1024 * 1024) / (10 * 2 ** 15 + 70)))
  const nodes = (await run(driver, `MATCH (n:${label}) RETURN id(n)`)).map(([node]) => Number(node))
  expect(await readNodes(work, nodes)).toBeNull()
  const some = await readNodes(work, nodes.slice(0, nodesAtOnce(work)))
  expect(some?.elements).toHaveLength(nodesAtOnce(work))
  some?.release()
  await origin.close()
})

test('of very large nodes a few are read first, and never more at a time than the memory limit allows', async () => {
  const heavy = uniqueName('Heavy')
  const heavyIds = Array.from({ length: 12 }, (_, index) => `h${index}`)
  for (const id of heavyIds) {
    await run(driver, `CREATE (:${heavy} {id: $id, text: reduce(text = 'x', _ IN range(1, 22) | text + text)})`, { id })
  }
  const opened = await openOrigin(request, settings, 60)
  const read: unknown[] = []
  const rows: typeof opened.rows = async (...query) => {
    const found = await opened.rows(...query)
    const bytes = found.rows?.end(found.rows.length - 1) ?? 0
    expect(bytes).toBeLessThan(24 * 1024 * 1024)
    read.push(found.rows?.length ?? null)
    return found
  }
  const { request: heavyOnes } = parsePublishRequest({
    ...fields,
    ...database(neo4j, heavy, 'id'),
    originIds: heavyIds,
  })
  const plan = planOf(heavyOnes)
  const work = { origin: { ...opened, rows }, plan, ...nothingLearned(), sizes: defaultSizes }
  expect(await readNodesByIds(work, heavyIds, 1_000)).toBeNull()
  const nodes = (await run(driver, `MATCH (n:${heavy}) RETURN id(n)`)).map(([node]) => Number(node))
  const atOnce = nodesAtOnce(work)
  expect((await readNodes(work, nodes.slice(0, atOnce)))?.elements).toHaveLength(atOnce)
  await opened.close()
  // Of those that are read first, ten would take more than the limit.
  expect([atOnce, read]).toEqual([3, [null, 3]])
})

test('large nodes are published, each once', async () => {
  const published: unknown[] = []
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    const { statements } = JSON.parse(bytes.toString()) as { statements: { parameters: { id: string } }[] }
    published.push(...statements.map(({ parameters }) => parameters.id))
  }
  const limits = { batchSize: 5_000, maxPairs: 1_000, limitSeconds: 300, spentSeconds: 0, acceptedAt: 0 }
  const order = { requests: [request], syntax: 'dollar' as const, ...limits }
  const signal = new AbortController().signal
  await buildPacket(order, { originPolicy: settings, sink, signal, onProgress: () => {} })
  expect(published.toSorted()).toEqual(ids.toSorted())
})
