import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { drawModel } from '../support/models/large-model.ts'
import { type ModelObject, managerClient, newModel } from '../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))
const driver = openDriver(inject('stack').neo4j)
afterAll(() => driver.close())

const { name, manager, version } = await newModel(client)
await drawModel(driver, version.grn, { types: 7, properties: 3, constraints: ['UNIQUE', 'INDEX'] })
for (let number = 2; number < 8; number++) await client.made(`version/${manager.grn}`)
const one = async (path: string) => (await client.get(path)).body as unknown as Record<string, ModelObject>
const type = (await one(`nodeType/name/${version.grn}/T3`)).nodeType?.grn
const property = (await one(`property/name/${version.grn}/p1`)).property?.grn

const listOf = (body: object) => Object.values(body)[0] as ModelObject[]

test.each([
  ['versions', `versions/${manager.grn}`, 7],
  ['properties', `properties/${version.grn}`, 3],
  ['properties by the name of the version', `properties/name/${name}`, 3],
  ['node types', `nodeTypes/${version.grn}`, 7],
  ['node types by the name of the version', `nodeTypes/name/${name}`, 7],
  ['properties of a node type', `properties/${type}`, 3],
  ['implementations on a node type', `propertyImpls/${type}`, 3],
  ['implementations of a property', `propertyImpls/${property}`, 7],
  ['constraints', `constraints/${version.grn}`, 42],
  ['constraints by the name of the version', `constraints/name/${name}`, 42],
])('%s: pages of any size add up to the whole list, in order', async (_what, path, count) => {
  const whole = listOf((await client.get(path)).body)
  expect(new Set(whole.map(({ grn }) => grn)).size).toBe(count)
  for (const limit of [1, 2, count - 1, count, 10_000]) {
    const paged: ModelObject[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { body } = await client.get(`${path}?limit=${limit}${after && `&after=${after}`}`)
      paged.push(...listOf(body))
      after = body.next as unknown as string | undefined
      expect(listOf(body).length).toBe(Math.min(limit, after === undefined ? listOf(body).length : limit))
    }
    expect([limit, paged]).toEqual([limit, whole])
  }
})

test('an implementation in a list names its ends, and is readable by its grn and by theirs', async () => {
  const listed = listOf((await client.get(`propertyImpls/${property}`)).body)
  expect(listed.map(({ nodeType, property: of }) => [nodeType, of])).toEqual(
    Array.from({ length: 7 }, (_, number) => [`T${number}`, 'p1']),
  )
  const { nodeType, property: _, ...record } = listed[3] as ModelObject
  expect(nodeType).toBe('T3')
  for (const path of [`property/${record.grn}`, `property/${type}/${property}`])
    expect((await client.get(path)).body).toEqual({ propertyImpl: record })
})

test('managers are listed by name, each once', async () => {
  const names = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { body } = await client.get(`?limit=50${after && `&after=${after}`}`)
    names.push(...listOf(body).map((one) => one.name))
    after = body.next as unknown as string | undefined
  }
  expect(names).toContain(name)
  expect(names.length).toBe(new Set(names).size)
})
