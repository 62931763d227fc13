import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { entriesOf, type ModelObject, managerClient, newModel, shapeOf } from '../support/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))

const { name: versionName, version } = await newModel(client)
const v = version.grn
const body = { key: 'Person', namespace: 'people', definition: 'Somebody.', displayValue: 'A person' }
const own = { ...body, managerVersion: null as null }

describe('node types, in the order of the table', () => {
  let grn = ''

  test('create node type', async () => {
    const created = await client.post(`nodeType/${v}`, body)
    expect(shapeOf(created)).toEqual([200, 'nodeType', entriesOf('NodeType', own)])
    grn = created.body.nodeType?.grn as string
  })

  test('update node type, and by name', async () => {
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

  test('get node types of manager version, by grn and by name, sorted by key', async () => {
    await client.made(`nodeType/${v}`, { key: 'Movie' })
    const byGrn = await client.get(`nodeTypes/${v}`)
    const listed = byGrn.body.nodeTypes as unknown as ModelObject[]
    expect([Object.keys(byGrn.body), listed.map(({ key }) => key)]).toEqual([['nodeTypes'], ['Movie', 'Person']])
    expect((await client.get(`nodeTypes/name/${versionName}`)).body).toEqual(byGrn.body)
  })

  test('get node type, and by name', async () => {
    const read = await client.get(`nodeType/${grn}`)
    expect(shapeOf(read)).toEqual([200, 'nodeType', entriesOf('NodeType', own, { enver: 2 })])
    expect((await client.get(`nodeType/name/${v}/Person`)).body).toEqual(read.body)
  })

  test('delete node type, on either path, and by name', async () => {
    const other = await client.made(`nodeType/${v}`, { key: 'Other' })
    const deleted = [
      await client.delete(`nodeType/${grn}`),
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
  await client.made(`nodeType/${v}`, { key: 'A' })
  await client.made(`nodeType/${v}`, { key: 'B' })
  const refused = [
    await client.post(`nodeType/${v}`, { key: 'A' }),
    await client.put(`nodeType/name/${v}/A`, { key: 'B' }),
  ]
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, 'key: there is a node type with the key "A" in this manager version already'],
    [409, 'key: there is a node type with the key "B" in this manager version already'],
  ])
  expect((await client.put(`nodeType/name/${v}/A`, { key: 'A', displayValue: 'same key' })).status).toBe(200)
})
