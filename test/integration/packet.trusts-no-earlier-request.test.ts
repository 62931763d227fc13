import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'

const { neo4j } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Once')
await run(driver, `UNWIND ['a', 'b'] AS id CREATE (:${label} {id: id})`)

/** Builds the packet of a multi whose sub-requests have these fields. @returns the number of pairs */
async function build(...subRequests: readonly object[]): Promise<number> {
  const requests = subRequests.map(
    (fields) =>
      parsePublishRequest({ returnOnly: true, metadata: true, ...database(neo4j, label, 'id'), ...fields }).request,
  )
  const limits = { batchSize: 1, maxPairs: 100, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }
  let pairs = 0
  const sink = async () => {
    pairs++
  }
  const order = { requests, syntax: 'dollar' as const, ...limits }
  await buildPacket(order, { originPolicy, sink, signal: new AbortController().signal, onProgress() {} })
  return pairs
}

test('a sub-request with other credentials is authenticated, although the origin is open already', async () => {
  const { username } = neo4j
  const credentials = `Basic ${Buffer.from(`${username}:wrong`).toString('base64')}`
  expect(await build({ originIds: ['a'] }, { originIds: ['b'] })).toBe(2)
  const wrong = build({ originIds: ['a'] }, { originIds: ['b'], credentials })
  await expect(wrong).rejects.toMatchObject({ code: 'originRefusedCredentials' })
})

test('a constraint on an id and another property does not prove that the id is unique', async () => {
  const pair = uniqueName('Pair')
  await run(driver, `CREATE CONSTRAINT ${pair} FOR (n:${pair}) REQUIRE (n.id, n.part) IS UNIQUE`)
  await run(driver, `UNWIND [1, 2] AS part CREATE (:${pair} {id: 'a', part: part})`)
  const twice = build({ ...database(neo4j, pair, 'id'), originIds: ['a'] })
  await expect(twice).rejects.toMatchObject({
    code: 'unpublishable',
    message: expect.stringContaining(`more than one node with label "${pair}" has "a" as its id "id"`),
  })
  await run(driver, `DROP CONSTRAINT ${pair}`)
})

test.each([
  ['0.0 and -0.0', 0, -0, '0'],
  ['the largest integer and the float after it', 2n ** 63n - 1n, 2 ** 63, '9223372036854775807'],
  ['the float after the largest integer and that integer', 2 ** 63, 2n ** 63n - 1n, '9223372036854775807'],
])('a constraint on an id does not prove that %s are not both there', async (_what, first, second, named) => {
  const label = uniqueName('Apart')
  await run(driver, `CREATE CONSTRAINT ${label} FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
  await run(driver, `CREATE (:${label} {id: 'root'})-[:HAS]->(:${label} {id: $first})`, { first })
  const fromRoot = () => build({ ...database(neo4j, label, 'id'), originIds: ['root'], relationships: ['HAS'] })
  const alone = await fromRoot()
  expect(alone).toBeGreaterThan(0)
  // In a transaction of its own, the constraint allows it.
  await run(driver, `CREATE (:${label} {id: $second})`, { second })
  const problem = {
    code: 'unpublishable',
    message: expect.stringContaining(`more than one node with label "${label}" has`),
  }
  await expect(fromRoot()).rejects.toMatchObject(problem)
  await expect(build({ ...database(neo4j, label, 'id'), originIds: [named] })).rejects.toMatchObject(problem)
  await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
  await run(driver, `DROP CONSTRAINT ${label}`)
})
