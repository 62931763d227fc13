import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { documentsOf, type ModelObject, managerClient, newModel } from '../support/models/models.ts'
import { testCopies } from './suites/copied-versions.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))
testCopies(client, { types: 5, properties: 4 })

const films = {
  properties: [
    { key: 'name', dataType: 'String', definition: 'A name.', editable: true },
    { key: 'title', dataType: 'String', displayValue: 'Title' },
  ],
  nodeTypes: [
    {
      key: 'Movie',
      namespace: 'films',
      properties: [
        { key: 'name', indexed: true },
        { key: 'title', displayValue: 'Film', unique: true, required: true },
      ],
    },
    { key: 'Person', properties: [] },
  ],
}
const { listed, importInto, exportOf } = documentsOf(client)
const without = (constraints: ModelObject[]) => constraints.map(({ name }) => name)

test('a document is a whole version: an import equals its export, and a model built by single requests', async () => {
  const { version } = await newModel(client)
  const made = await importInto(version, films)
  expect([made.status, made.body]).toEqual([200, { imported: { created: 6, changed: 0, unchanged: 0 } }])
  expect(await exportOf(version)).toEqual(films)
  expect(without(await listed(`constraints/${version.grn}`))).toEqual([
    'Movie_name_index',
    'Movie_title_exists',
    'Movie_title_unique',
  ])
  const [name, title] = await listed(`properties/${version.grn}`)
  expect([name?.definition, name?.editable, title?.displayValue, title?.enver]).toEqual(['A name.', true, 'Title', 0])
  const movie = (await listed(`nodeTypes/${version.grn}`))[0] as ModelObject
  const [, implemented] = await listed(`properties/${movie.grn}`)
  const implementation = implemented?.propertyImpl as ModelObject
  const changed = await client.put(`property/${implementation.grn}`, { unique: false })
  expect(changed.status).toBe(200)
  expect(without(await listed(`constraints/${version.grn}`))).toEqual(['Movie_name_index', 'Movie_title_exists'])
  expect((await client.delete(`nodeType/${version.grn}/Movie`)).status).toBe(200)
  expect(await listed(`constraints/${version.grn}`)).toEqual([])
})

test('repeating an import changes nothing; another one changes what differs, and keeps the rest', async () => {
  const { version } = await newModel(client)
  await importInto(version, films)
  const before = await listed(`properties/${version.grn}`)
  expect((await importInto(version, films)).body).toEqual({ imported: { created: 0, changed: 0, unchanged: 6 } })
  expect(await listed(`properties/${version.grn}`)).toEqual(before)
  const other = {
    properties: [{ key: 'title', dataType: 'Text' }],
    nodeTypes: [{ key: 'Movie', namespace: 'films', properties: [{ key: 'title', indexed: true }] }],
  }
  expect((await importInto(version, other)).body).toEqual({ imported: { created: 0, changed: 2, unchanged: 1 } })
  const [name, title] = await listed(`properties/${version.grn}`)
  expect([name?.enver, title?.enver, title?.dataType, title?.displayValue]).toEqual([0, 1, 'Text', null])
  expect(without(await listed(`constraints/${version.grn}`))).toEqual(['Movie_name_index', 'Movie_title_index'])
})

test('an empty version is an empty document', async () => {
  const { version } = await newModel(client)
  expect(await exportOf(version)).toEqual({ properties: [], nodeTypes: [] })
  expect((await importInto(version, {})).body).toEqual({ imported: { created: 0, changed: 0, unchanged: 0 } })
  await importInto(version, { properties: films.properties })
  expect(await exportOf(version)).toEqual({ properties: films.properties, nodeTypes: [] })
})

describe('a refused import, export or copy', () => {
  test.each<[object, string]>([
    [{ properties: [{ key: '' }] }, 'properties[0].key: must not be blank'],
    [{ properties: [{ key: 'a' }, { key: 'a' }] }, 'properties[1].key: must not be that of another one'],
    [{ nodeTypes: [{ key: 'a\\b' }] }, 'nodeTypes[0].key: must not contain a backslash'],
    [
      { nodeTypes: [{ key: 'A', properties: [{ key: 'a' }] }] },
      'nodeTypes[0].properties[0].key: must be the key of one of the properties',
    ],
    [
      { nodeTypes: [{ key: 'A', properties: [{ key: 'a', uniqe: true }] }] },
      'nodeTypes[0].properties[0].uniqe: unknown field',
    ],
    [{ nodeType: [] }, 'nodeType: unknown field, did you mean `nodeTypes`?'],
  ])('a refused import of %j leaves nothing', async (document, detail) => {
    const { version } = await newModel(client)
    const refused = await importInto(version, document)
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(detail)])
    expect(await exportOf(version)).toEqual({ properties: [], nodeTypes: [] })
  })

  test('an import, export or copy of a version that does not exist is 404', async () => {
    const nothing = `grn:gg:managerversion:${'0'.repeat(44)}`
    const answers = [await client.get(`export/${nothing}`), await client.post(`import/${nothing}`, films)]
    expect([...answers, await client.post(`copy/${nothing}`)].map(({ status }) => status)).toEqual([404, 404, 404])
  })
})
