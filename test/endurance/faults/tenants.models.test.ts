import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { drawModel } from '../../support/models/large-model.ts'
import { managerClient } from '../../support/models/models.ts'
import { openTenants } from '../../support/worlds/tenants.ts'

const { neo4j } = inject('stack')
const { attacker, attackerOrg, unharmedBy } = await openTenants()
const manager = managerClient(attacker)
/** The attack took a minute. Programs that share two busy cores with others may take many seconds for a publish. */
const mostMs = 20_000
const driver = openDriver(neo4j)
afterAll(() => driver.close())

async function newVersion(): Promise<{ grn: string; manager: string }> {
  const { grn, name } = await manager.made(`grn:gg:org:${attackerOrg}`, { name: uniqueName('model') })
  const { body } = await manager.get(`version/name/${name}`)
  return { grn: body.managerVersion?.grn as string, manager: grn }
}

test('lists of thousands of the longest texts, many at once, take no memory from others', {
  timeout: 180_000,
}, async () => {
  const version = await newVersion()
  const own = await drawModel(driver, version.grn, { types: 0, properties: 5_000 })
  const texts = { own, definition: 'd'.repeat(10_000), text: 't'.repeat(1_000) }
  await run(
    driver,
    `MATCH (n:GraphPacketsProperty {createdBy: $own}) SET n.definition = $definition, n.dataType = $text, n.displayValue = $text`,
    texts,
  )
  const path = `properties/${version.grn}`
  expect(await manager.get(path)).toMatchObject({ status: 400, body: { type: 'urn:problem:listTooLong' } })
  const { text, body } = await manager.get(`${path}?limit=5000`)
  expect([text.length < 17_000_000, (body.properties as unknown as object[]).length < 5_000]).toEqual([true, true])
  expect(body.next).toEqual(expect.any(String))
  const statuses = new Set<number>()
  await unharmedBy(
    async () => {
      const lists = Array.from({ length: 24 }, (_, at) => manager.get(at % 2 ? path : `${path}?limit=5000`))
      for (const { status } of await Promise.all(lists)) statuses.add(status)
    },
    { mostMs },
  )
  expect([...statuses].filter((status) => ![200, 400, 429].includes(status))).toEqual([])
  expect((await manager.delete(version.manager)).status).toBe(200)
})

test('a publish that is bound to a model stores and holds each text of it once', { timeout: 120_000 }, async () => {
  const version = await newVersion()
  const own = await drawModel(driver, version.grn, { types: 3_000, properties: 1, constraints: ['UNIQUE'] })
  // Longer than an import takes, as in a model of an earlier version of the service.
  const texts = { own, key: 'k'.repeat(255), dataType: `String${' '.repeat(9_993)}?` }
  await run(driver, 'MATCH (n:GraphPacketsProperty {createdBy: $own}) SET n.key = $key, n.dataType = $dataType', texts)
  const { mappedIndices: _, ...place } = database(neo4j, '', '')
  const request = {
    ...place,
    model: version.grn,
    index: 'T1',
    originIds: ['none'],
    metadata: true,
    orgName: attackerOrg,
  }
  const statuses: number[] = []
  await unharmedBy(
    async () => {
      for (let round = 0; round < 2; round++) {
        const fileNames = [0, 1, 2, 3].map((at) => `bound${round}-${at}`)
        const publishes = fileNames.map((fileName) => attacker.post('/1.0/publish/', { ...request, fileName }))
        for (const { status } of await Promise.all(publishes)) statuses.push(status)
      }
    },
    { mostMs },
  )
  // The origin has no such node. The model is stored and read before a worker finds that out.
  expect(statuses).toEqual(Array(8).fill(422))
  expect((await manager.delete(version.manager)).status).toBe(200)
})

test('nobody but a token of all orgs can claim the model from which the index policies of all orgs are made', async () => {
  const refused = { status: 403, body: { type: 'urn:problem:nameReserved' } }
  expect(await manager.post(`grn:gg:org:${attackerOrg}`, { name: 'default' })).toMatchObject(refused)
  const version = await newVersion()
  for (const path of [`version/${version.manager}`, `copy/${version.grn}`])
    expect(await manager.post(path, { name: 'default' })).toMatchObject(refused)
  expect((await manager.delete(version.manager)).status).toBe(200)
})
