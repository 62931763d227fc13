import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'

const { neo4j, legacy } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [org, label] = [uniqueName('org'), uniqueName('P')]
const origins = { 'Neo4j 5': neo4j, 'Neo4j 3.5': legacy as Neo4jAddress }
const drivers = Object.values(origins).map(openDriver)
afterAll(() => Promise.all(drivers.map((driver) => driver.close())))

beforeAll(async () => {
  await client.post(`/1.0/publish/${org}`)
  await Promise.all(drivers.map((driver) => run(driver, `CREATE (:${label} {id: 'a'}), (:${label} {id: 'b'})`)))
})

const request = (origin: Neo4jAddress, more: object = {}) => ({
  ...database(origin, label, 'id'),
  originIds: ['a'],
  metadata: true,
  returnOnly: true,
  ...more,
})

/** The status and error of a request that is returned, and of the same one stored. */
async function answersOf(origin: Neo4jAddress, more: object) {
  const stored = { returnOnly: false, orgName: org, fileName: uniqueName('file') }
  const answers = await Promise.all([
    client.post('/1.0/publish/', request(origin, more)),
    client.post('/1.0/publish/', request(origin, { ...more, ...stored })),
    client.post('/1.0/publish/multi', [request(origin, { ...more, ...stored, fileName: uniqueName('file') })]),
  ])
  return new Set(answers.map(({ status, body }) => body.error ?? String(status)))
}

const fine = new Set(['200'])

/** A bookmark after a write to this database. */
async function bookmarkOf(origin: Neo4jAddress): Promise<string> {
  const driver = openDriver(origin)
  const session = driver.session()
  try {
    await session.run(`CREATE (:${uniqueName('Q')})`)
    return session.lastBookmarks()[0] as string
  } finally {
    await session.close()
    await driver.close()
  }
}

describe('database', () => {
  test.each(['neo4j', 'NEO4J'])(
    'the field database names the database to read, here the home database by its name: %s',
    async (name) => {
      expect(await answersOf(neo4j, { database: name })).toEqual(fine)
    },
  )

  test('a database that the origin does not have is refused', async () => {
    const error =
      '422 Unprocessable Entity: database: the origin has no such database, or no home database for this user if the field is absent'
    expect(await answersOf(neo4j, { database: 'nowhere' })).toEqual(new Set([error]))
  })

  test('the field database is refused if the origin speaks Bolt 3', async () => {
    const error =
      '422 Unprocessable Entity: database: this origin speaks Bolt 3 or earlier, in which no database can be named; omit the field'
    expect(await answersOf(origins['Neo4j 3.5'], { database: 'neo4j' })).toEqual(new Set([error]))
  })

  test('the database distinguishes origins: an identity read from two databases is refused', async () => {
    const multi = async (...more: object[]) =>
      (
        await client.post(
          '/1.0/publish/multi',
          more.map((one) => request(neo4j, one)),
        )
      ).body.error
    const error = `400 Bad Request: [1].database: must be the same as in [0], which publishes the "${label}" with "id" "a" too`
    expect(await multi({}, { database: 'neo4j' })).toBe(error)
    expect(await multi({}, { database: 'neo4j', originIds: ['b'] })).toBeNull()
    // Other servers have databases whose names differ only in case, so the name counts as it is written.
    expect(await multi({ database: 'Neo4j' }, { database: 'neo4j' })).toBe(error)
    // The first one must not lend its connection to the second.
    const missing = '422 Unprocessable Entity: database: the origin has no such database'
    expect(await multi({}, { database: 'nowhere', originIds: ['b'] })).toContain(missing)
  })

  test('the database is part of what a repeated Idempotency-Key must agree on', async () => {
    const headers = { 'Idempotency-Key': uniqueName('key') }
    const stored = { returnOnly: false, orgName: org, fileName: uniqueName('file') }
    const send = (more: object) => client.post('/1.0/publish/', request(neo4j, { ...stored, ...more }), headers)
    expect((await send({ database: 'neo4j' })).status).toBe(200)
    expect((await send({ database: 'neo4j' })).status).toBe(200)
    expect((await send({})).status).toBe(422)
  })
})

describe.each(Object.entries(origins))('bookmarks of %s', (_, origin) => {
  test('bookmarks are reached before the origin is read', async () => {
    expect(await answersOf(origin, { bookmarks: [await bookmarkOf(origin)] })).toEqual(fine)
    expect(await answersOf(origin, { bookmarks: [] })).toEqual(fine)
  })

  test('bookmarks that the origin cannot read are refused, also after a sub-request that has others', async () => {
    const error = '422 Unprocessable Entity: bookmarks: rejected by the origin'
    expect(await answersOf(origin, { bookmarks: ['no-bookmark'] })).toEqual(new Set([error]))
    const other = { originIds: ['b'], bookmarks: ['no-bookmark'] }
    const { body } = await client.post('/1.0/publish/multi', [request(origin), request(origin, other)])
    expect(body.error).toBe(error)
  })
})

test('neo4j:// reads the named host, and is the same origin as bolt://', async () => {
  const dbUrl = neo4j.boltUrl.replace('bolt', 'neo4j')
  expect(await answersOf(neo4j, { dbUrl })).toEqual(fine)
  const both = [request(neo4j, { dbUrl }), request(neo4j)]
  expect((await client.post('/1.0/publish/multi', both)).body.error).toBeNull()
  // Neo4j 3.5 has no routing table at all.
  const old = origins['Neo4j 3.5']
  expect(await answersOf(old, { dbUrl: old.boltUrl.replace('bolt', 'neo4j') })).toEqual(fine)
})
