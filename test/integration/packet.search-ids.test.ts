import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'

const { neo4j } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Event')

// The driver reads the year 999999 in a named zone as an object that throws at every access.
beforeAll(async () => {
  await run(
    driver,
    `CREATE (a:${label} {id: 'a', at: datetime({year: 999999, timezone: 'Europe/Berlin'})})
     CREATE (a)-[:T]->(:${label} {id: 'b', at: date({year: 999999})})
     CREATE (:${label} {id: 'c', at: [datetime({year: -999999, timezone: 'Asia/Tokyo'})]})`,
  )
})

const requested = { originIds: ['a', 'b', 'c'], searchIdField: 'at', returnOnly: true }
const drawn = { relationships: ['T>'], preventCleanup: true }

async function publish(fields: object) {
  const { request, issues } = parsePublishRequest({ ...database(neo4j, label, 'id'), ...requested, ...fields })
  expect(issues).toEqual([])
  const parts: string[] = []
  const limits = { batchSize: 5_000, maxPairs: 100, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }
  const built = await buildPacket(
    { requests: [request], syntax: 'dollar', ...limits },
    {
      originPolicy,
      sink: async ({ bytes }) => void parts.push(bytes.toString()),
      signal: new AbortController().signal,
      onProgress: () => {},
    },
  )
  const { metadata } = JSON.parse(parts[0] as string).statements.at(-1)
  return { updatedIds: metadata.updatedIds, properties: built.report.skipped.properties }
}

test.each([
  ['that are only searched', drawn],
  ['that are published', { metadata: true }],
  ['whose property is protected', { metadata: true, protectedNodeProperties: ['at'] }],
])('with skip, a search id that cannot be read is left out and counted, of nodes %s', async (_, fields) => {
  const made = await publish({ ...fields, onUnpublishable: 'skip' })
  expect(made).toEqual({ updatedIds: ['+999999-01-01'], properties: 2 })
})

test('without skip, a search id that cannot be read is named', async () => {
  await expect(publish(drawn)).rejects.toMatchObject({
    status: 422,
    code: 'unpublishable',
    message: expect.stringContaining(
      'has a zoned datetime of a year or zone that the driver does not know as its property "at"',
    ),
  })
})
