import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database } from '../../../dev/requests.ts'
import { getPacked } from '../../support/clients/raw-http.ts'
import { drawModel } from '../../support/models/large-model.ts'
import { managerClient } from '../../support/models/models.ts'
import { leastRounds, openTenants } from '../../support/worlds/tenants.ts'

const { attacker, attackerOrg, service, unharmedBy } = await openTenants()
const manager = managerClient(attacker)
/** The attacks took a minute. Programs that share two cores with others may take seconds for a publish. */
const mostMs = 10_000
const driver = openDriver(inject('stack').neo4j)
afterAll(() => driver.close())
const times = <T>(count: number, send: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => send(at)))

test('file names and filters that repeat a digit delay nobody, whatever their length and number', async () => {
  const statuses: number[] = []
  const files = `/1.0/publish/${attackerOrg}`
  const digits = (length: number) => '1'.repeat(length)
  const most = Array.from({ length: 900 }, () => `${digits(1_023)}x`)
  await unharmedBy(async (rounds) => {
    do {
      const refused = [
        ...(await times(8, () => attacker.post(`${files}/files`, { fileNames: [digits(1_000_000)] }))),
        ...(await times(40, () => attacker.get(`${files}?filter=${digits(15_000)}x`))),
      ]
      for (const { status } of refused) statuses.push(status)
      const found = await times(8, () => attacker.post(`${files}/files`, { fileNames: most }))
      const searches = found.map(({ status }) => status)
      expect(searches).toContain(200)
      // A token runs one search for so many texts at a time.
      expect(searches.filter((status) => ![200, 429].includes(status))).toEqual([])
    } while (rounds() < leastRounds)
  })
  expect(new Set(statuses)).toEqual(new Set([400]))
})

test('data types with many blanks delay neither dry runs nor publishes of others', { timeout: 120_000 }, async () => {
  const dataType = `String${' '.repeat(10_000)}!`
  const made = await manager.made(`grn:gg:org:${attackerOrg}`, { name: attackerOrg })
  const { body } = await manager.get(`version/name/${made.name}`)
  const version = body.managerVersion?.grn as string
  expect((await manager.post(`property/${version}`, { key: 'id', dataType })).status).toBe(400)
  // A model of an earlier version of the service may hold one.
  const own = await drawModel(driver, version, { types: 400, properties: 1, constraints: ['UNIQUE'] })
  await run(driver, 'MATCH (n:GraphPacketsProperty {createdBy: $own}) SET n.dataType = $dataType', { own, dataType })
  const { mappedIndices: _, ...place } = database(inject('stack').neo4j, '', '')
  const request = { ...place, model: version, index: 'T1', originIds: ['none'], metadata: true, orgName: attackerOrg }
  const statuses: number[] = []
  await unharmedBy(
    async () => {
      // The origin has no such node. All programs parse the model before they find that out.
      const answers = [
        await attacker.post('/1.0/publish/?dryRun=true', request),
        ...(await times(8, (at) => attacker.post('/1.0/publish/', { ...request, fileName: `bound${at}` }))),
      ]
      for (const { status } of answers) statuses.push(status)
    },
    { mostMs },
  )
  // On a busy machine the manager's database may not answer in time.
  expect(statuses.filter((status) => status !== 503).length).toBeGreaterThan(statuses.length / 2)
  expect(statuses.filter((status) => ![422, 503].includes(status))).toEqual([])
})

test('whoever asks for the OpenAPI document without a token, in any encoding, delays nobody', async () => {
  const url = `${service.apiUrl}/openapi.json`
  await unharmedBy(
    async () => {
      for (const encoding of ['br', 'gzip', 'deflate', 'identity', '*'])
        for (let round = 0; round < 2; round++)
          for (const { status } of await times(50, () => getPacked(url, null, encoding))) expect(status).toBe(200)
    },
    { mostMs },
  )
})
