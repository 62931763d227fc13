import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { buildPacket } from '../../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { readRows } from '../../support/origins/read-rows.ts'

const { neo4j, legacy } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const usedMiB = () => {
  collectGarbage()
  collectGarbage() // Completes the sweep of the first, which updates the count of array buffers.
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

/** Publishes. @returns the pairs, and the peak growth of the memory in use, in MiB, at the hand-over of a part. */
async function publish(label: string, ...fields: object[]) {
  const all = { ...database(neo4j, label, 'id'), returnOnly: true }
  const requests = fields.map((own) => parsePublishRequest({ ...all, ...own }).request)
  const before = usedMiB()
  let most = 0
  let pairs = 0
  const sink = async (part: { pairs: number }) => {
    pairs += part.pairs
    most = Math.max(most, usedMiB() - before)
  }
  const limits = { batchSize: 5_000, maxPairs: 100_000, limitSeconds: 300, spentSeconds: 0, acceptedAt: 0 }
  const order = { requests, syntax: 'dollar' as const, ...limits }
  const signal = new AbortController().signal
  await buildPacket(order, { originPolicy, sink, signal, onProgress: () => {} })
  return { pairs, most }
}

const mostMiB = 100

test('relationships of 80 KB each are held a few MB at a time', async () => {
  const label = uniqueName('Hub')
  const count = 2_500
  await run(driver, `CREATE (:${label} {id: 'hub'})`)
  const blob = 'x'.repeat(80_000)
  for (let from = 0; from < count; from += 250) {
    const each = `UNWIND range(${from}, ${from + 249}) AS i`
    const create = `CREATE (a)-[:HAS {blob: $blob, at: i}]->(:${label} {id: 'far' + i})`
    await run(driver, `MATCH (a:${label} {id: 'hub'}) ${each} ${create}`, { blob })
  }
  const { pairs, most } = await publish(label, { originIds: ['hub'], relationships: ['HAS>'] })
  expect(pairs).toBe(count + 1)
  expect(most).toBeLessThan(mostMiB)
})

test('nodes larger than the first of their kind are held a few MB at a time', async () => {
  const label = uniqueName('Document')
  const ids = Array.from({ length: 400 }, (_, at) => `d${String(at).padStart(3, '0')}`)
  const text = 'x'.repeat(1_000_000)
  await run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
  await run(driver, `UNWIND $ids AS id CREATE (:${label} {id: id, text: 'short'})`, { ids })
  // Half of the nodes have a long text, the others a property that none of the first has.
  for (let from = 100; from < ids.length; from += 10) {
    const some = ids.slice(from, from + 10)
    const set = 'SET n.text = CASE WHEN toInteger(right(n.id, 1)) % 2 = 0 THEN $text ELSE n.text END'
    const more = 'SET n.blob = CASE WHEN toInteger(right(n.id, 1)) % 2 = 1 THEN $text END'
    await run(driver, `MATCH (n:${label}) WHERE n.id IN $some ${set} ${more}`, { some, text })
  }
  const [first, others] = [ids.slice(0, 100), ids.slice(100)]
  const { pairs, most } = await publish(
    label,
    { originIds: first, metadata: true },
    { originIds: others, metadata: true },
  )
  expect(pairs).toBe(ids.length)
  expect(most).toBeLessThan(mostMiB)
})

test('nodes with long lists of short texts are read in smaller groups', async () => {
  const label = uniqueName('Tagged')
  const ids = Array.from({ length: 500 }, (_, at) => `t${at}`)
  for (let from = 0; from < ids.length; from += 50) {
    const some = ids.slice(from, from + 50)
    await run(driver, `UNWIND $some AS id CREATE (:${label} {id: id, tags: [_ IN range(1, 25000) | 'a']})`, { some })
  }
  const { pairs, most } = await publish(label, { originIds: ids, metadata: true })
  expect(pairs).toBe(ids.length)
  expect(most).toBeLessThan(mostMiB)
})

test('relationships requested by their ids are held a few MB at a time', async () => {
  const label = uniqueName('Owner')
  const ids = Array.from({ length: 300 }, (_, at) => `${label}-${at}`)
  await run(driver, `CREATE (:${label} {id: 'a'}), (:${label} {id: 'b'})`)
  const blob = 'x'.repeat(1_000_000)
  for (let from = 0; from < ids.length; from += 10) {
    const some = ids.slice(from, from + 10)
    const create = 'UNWIND $some AS grn CREATE (a)-[:OWNS {grn: grn, blob: $blob}]->(b)'
    await run(driver, `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) ${create}`, { some, blob })
  }
  const fields = { relationshipIds: ids, relationshipIdField: 'grn', preventCleanup: true }
  const { pairs, most } = await publish(label, fields)
  expect(pairs).toBe(ids.length)
  expect(most).toBeLessThan(mostMiB)
})

test.each([
  ['Neo4j 5', neo4j],
  ['Neo4j 3.5', legacy as Neo4jAddress],
])('a result over its size limit is abandoned, and the transaction continues, %s', async (_, address) => {
  const origin = await openOrigin(database(address, 'Label', 'id'), originPolicy, 60)
  const query = "UNWIND range(1, 5000) AS i RETURN i, reduce(text = 'x', _ IN range(1, 10) | text + text)"
  // The head of a record and of the text, and an integer of one to three bytes.
  const expected = 1_024 + 3 + 3 + 3
  const { rows, rowBytes } = await origin.rows(query, {}, 100_000)
  expect([rows, Math.round(rowBytes)]).toEqual([null, expected])
  const whole = await origin.rows(query, {}, 10_000_000)
  expect([whole.rows?.length, Math.round(whole.rowBytes)]).toEqual([5_000, expected])
  whole.rows?.release()
  expect(await readRows(origin, 'RETURN 1')).toEqual([[1n]])
  await origin.close()
})
