import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { entriesOf, type ModelObject, managerClient, newModel, shapeOf } from '../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))

const { name: versionName, version } = await newModel(client)
const v = version.grn
const property = await client.made(`property/${v}`, { key: 'name' })
const person = await client.made(`nodeType/${v}`, { key: 'Person' })
const off = { unique: false, indexed: false, required: false, editable: false, deletable: false, sensitive: false }

type Constraint = { type: string; nodeType: string; property: string; name: string }
const constraints = async (path = `constraints/${v}`) => {
  const { body } = await client.get(path)
  return (body.constraints as unknown as Constraint[]).map(({ type, name }) => [type, name])
}

describe('property implementations, in the order of the table', () => {
  let grn = ''

  test('a property that is added to a node type has flags that are false', async () => {
    const made = await client.post(`property/${person.grn}/${property.grn}`, { key: 'name', displayValue: 'Full name' })
    expect(shapeOf(made)).toEqual([
      200,
      'propertyImpl',
      entriesOf('PropertyImpl', { displayValue: 'Full name', ...off }),
    ])
    grn = made.body.propertyImpl?.grn as string
  })

  test('a property implementation is updated at the path of properties', async () => {
    const updated = await client.put(`property/${grn}`, { displayValue: 'Name', isEditable: true })
    const changed = { displayValue: 'Name', ...off, editable: true }
    expect(shapeOf(updated)).toEqual([200, 'propertyImpl', entriesOf('PropertyImpl', changed, { enver: 1 })])
  })

  test('the properties of a node type are listed, each with its implementation', async () => {
    const { body } = await client.get(`properties/${person.grn}`)
    const [listed, ...more] = body.properties as unknown as ModelObject[]
    expect(Object.entries(listed as object)).toEqual([
      ...Object.entries(property),
      ['propertyImpl', expect.objectContaining({ grn, displayValue: 'Name', label: 'PropertyImpl' })],
    ])
    expect(more).toEqual([])
  })

  test('constraints follow from the flags, by grn and by name of the version', async () => {
    expect((await client.get(`constraints/${v}`)).text).toBe('{"constraints":[]}')
    await client.put(`property/${grn}`, { unique: true, required: true, indexed: true })
    const { body } = await client.get(`constraints/${v}`)
    const [exists] = body.constraints as unknown as object[]
    expect(Object.entries(exists as object)).toEqual(
      entriesOf('Constraint', { type: 'EXISTS', nodeType: 'Person', property: 'name', name: 'Person_name_exists' }),
    )
    const all = [
      ['EXISTS', 'Person_name_exists'],
      ['INDEX', 'Person_name_index'],
      ['UNIQUE', 'Person_name_unique'],
    ]
    expect(await constraints()).toEqual(all)
    expect(await constraints(`constraints/name/${versionName}`)).toEqual(all)
  })

  test('constraints stay the same records while their flag stays, and use the current keys', async () => {
    const before = (await client.get(`constraints/${v}`)).body.constraints as unknown as ModelObject[]
    await client.put(`property/${grn}`, { indexed: true, required: false })
    await client.put(`property/${property.grn}`, { key: 'title' })
    const after = (await client.get(`constraints/${v}`)).body.constraints as unknown as ModelObject[]
    expect(after.map(({ grn }) => grn)).toEqual(before.slice(1).map(({ grn }) => grn))
    expect(after.map(({ name }) => name)).toEqual(['Person_title_index', 'Person_title_unique'])
    const refused = await client.put(`property/${grn}`, { unique: false }, { 'If-Match': '"0"' })
    expect([refused.status, (await constraints()).length]).toEqual([412, 2])
  })

  test('deleting a property from a node type leaves the property', async () => {
    expect((await client.delete(`property/${person.grn}/${property.grn}`)).text).toBe('{}')
    expect((await client.get(`properties/${person.grn}`)).text).toBe('{"properties":[]}')
    expect(await constraints()).toEqual([])
    expect((await client.get(`property/${property.grn}`)).status).toBe(200)
  })

  test('a path with a manager version also deletes a property from a node type, in that version only', async () => {
    const other = (await newModel(client)).version.grn
    await client.made(`property/${person.grn}/${property.grn}`)
    expect((await client.delete(`property/${other}/${person.grn}/${property.grn}`)).status).toBe(404)
    expect((await client.delete(`property/${v}/${person.grn}/${property.grn}`)).text).toBe('{}')
    expect((await client.get(`properties/${person.grn}`)).text).toBe('{"properties":[]}')
  })

  test('a property implementation is deleted by its grn alone', async () => {
    const made = await client.made(`property/${person.grn}/${property.grn}`)
    expect((await client.delete(made.grn)).text).toBe('{}')
    expect((await client.put(`property/${made.grn}`, { unique: true })).status).toBe(404)
  })
})

test('a property is implemented once on a node type, and on node types of its own version only', async () => {
  await client.made(`property/${person.grn}/${property.grn}`)
  const { version: other } = await newModel(client)
  const stranger = await client.made(`property/${other.grn}`, { key: 'name' })
  const refused = [
    await client.post(`property/${person.grn}/${property.grn}`),
    await client.post(`property/${person.grn}/${stranger.grn}`),
    await client.post(`property/${person.grn}/grn:gg:property:none`),
    await client.post(`property/grn:gg:nodetype:none/${property.grn}`),
  ]
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, `propertyGrn: the property "${property.grn}" is already implemented on this node type`],
    [400, 'propertyGrn: must be a property of the same manager version as the node type'],
    [404, 'there is no property "grn:gg:property:none"'],
    [404, 'there is no node type "grn:gg:nodetype:none"'],
  ])
})
