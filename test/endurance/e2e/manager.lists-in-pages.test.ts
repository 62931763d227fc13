import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { drawModel } from '../../support/models/large-model.ts'
import { type ModelObject, managerClient, newModel } from '../../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))
const driver = openDriver(inject('stack').neo4j)
afterAll(() => driver.close())

const listOf = (body: object) => Object.values(body)[0] as ModelObject[]

test('a list of up to 10,000 entries needs no limit; a longer one is refused without one', async () => {
  const { version: large } = await newModel(client)
  await drawModel(driver, large.grn, { types: 100, properties: 50, constraints: ['UNIQUE', 'INDEX'] })
  expect(listOf((await client.get(`constraints/${large.grn}`)).body)).toHaveLength(10_000)
  const more = await client.made(`nodeType/${large.grn}`, { key: 'more' })
  const p0 = ((await client.get(`property/name/${large.grn}/p0`)).body as unknown as Record<string, ModelObject>)
    .property?.grn
  const implementation = await client.made(`property/${more.grn}/${p0}`)
  await client.put(`property/${implementation.grn}`, { unique: true })
  const refused = await client.get(`constraints/${large.grn}`)
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    'limit: required because the list has more than 10000 entries or 16 MiB; to read the next page, pass next of the answer as after',
  ])
  const { body } = await client.get(`constraints/${large.grn}?limit=10000`)
  const last = await client.get(`constraints/${large.grn}?limit=10000&after=${body.next}`)
  expect(listOf(last.body).map((constraint) => constraint.name)).toEqual(['more_p0_unique'])
  await client.delete(large.manager as string)
})
