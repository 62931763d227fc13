import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { entriesOf, type ModelObject, managerClient, newModel, shapeOf } from '../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))

/** A new version, with a node type of each of these keys. */
async function newVersion(...keys: string[]) {
  const { name, version } = await newModel(client)
  for (const key of keys) await client.made(`nodeType/${version.grn}`, { key })
  return { name, v: version.grn }
}
const body = { key: 'Person', namespace: 'people', definition: 'Somebody.', displayValue: 'A person' }
const own = { ...body, managerVersion: null as null }

describe('node types, in the order of the table', () => {
  test('a node type is created', async () => {
    const { v } = await newVersion()
    const created = await client.post(`nodeType/${v}`, body)
    expect(shapeOf(created)).toEqual([200, 'nodeType', entriesOf('NodeType', own)])
  })

  test('a node type is updated by its grn and by its name', async () => {
    const { v } = await newVersion()
    const { grn } = await client.made(`nodeType/${v}`, body)
    const changed = { key: 'Human', namespace: 'n', definition: 'd', displayValue: 'v' }
    const updated = await client.put(`nodeType/${grn}`, changed)
    expect(shapeOf(updated)).toEqual([
      200,
      'nodeType',
      entriesOf('NodeType', { ...changed, managerVersion: null }, { enver: 1 }),
    ])
    const byName = await client.put(`nodeType/name/${v}/Human`, body)
    expect(shapeOf(byName)).toEqual([200, 'nodeType', entriesOf('NodeType', own, { enver: 2 })])
  })

  test('the node types of a manager version are listed by its grn and by its name, sorted by key', async () => {
    const { name, v } = await newVersion('Person', 'Movie')
    const byGrn = await client.get(`nodeTypes/${v}`)
    const listed = byGrn.body.nodeTypes as unknown as ModelObject[]
    expect([Object.keys(byGrn.body), listed.map(({ key }) => key)]).toEqual([['nodeTypes'], ['Movie', 'Person']])
    expect((await client.get(`nodeTypes/name/${name}`)).body).toEqual(byGrn.body)
  })

  test('a node type is read by its grn and by its name', async () => {
    const { v } = await newVersion()
    const { grn } = await client.made(`nodeType/${v}`, body)
    const read = await client.get(`nodeType/${grn}`)
    expect(shapeOf(read)).toEqual([200, 'nodeType', entriesOf('NodeType', own)])
    expect((await client.get(`nodeType/name/${v}/Person`)).body).toEqual(read.body)
  })

  test('a node type is deleted on either path, and by its name', async () => {
    const { v } = await newVersion('Movie')
    const one = await client.made(`nodeType/${v}`, { key: 'Person' })
    const other = await client.made(`nodeType/${v}`, { key: 'Other' })
    const deleted = [
      await client.delete(`nodeType/${one.grn}`),
      await client.delete(other.grn),
      await client.delete(`nodeType/${v}/Movie`),
    ]
    expect(deleted.map(({ status, text }) => [status, text])).toEqual([
      [200, '{}'],
      [200, '{}'],
      [200, '{}'],
    ])
    expect((await client.get(`nodeTypes/${v}`)).text).toBe('{"nodeTypes":[]}')
    expect((await client.delete(`nodeType/${v}/Movie`)).status).toBe(404)
  })
})

test('a key is unique among the node types of a version', async () => {
  const { v } = await newVersion('A', 'B')
  const refused = [
    await client.post(`nodeType/${v}`, { key: 'A' }),
    await client.put(`nodeType/name/${v}/A`, { key: 'B' }),
  ]
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, 'key: there is a node type with the key "A" in this manager version'],
    [409, 'key: there is a node type with the key "B" in this manager version'],
  ])
  expect((await client.put(`nodeType/name/${v}/A`, { key: 'A', displayValue: 'same key' })).status).toBe(200)
})
