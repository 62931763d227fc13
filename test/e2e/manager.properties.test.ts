import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { entriesOf, type ModelObject, managerClient, newModel, shapeOf } from '../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))

/** A new version, and its property `name`. */
async function newProperty() {
  const { name, version } = await newModel(client)
  const { grn } = await client.made(`property/${version.grn}`, body)
  return { versionName: name, v: version.grn, grn }
}
const body = {
  key: 'name',
  dataType: 'String',
  definition: 'What it is called.',
  displayValue: 'Name',
  isEditable: true,
  isDeletable: true,
}
const own = {
  key: 'name',
  dataType: 'String',
  definition: null as string | null,
  displayValue: 'Name',
  managerVersion: null,
  editable: false,
  deletable: false,
}
const keysOf = (answer: { body: unknown }) =>
  ((answer.body as { properties: ModelObject[] }).properties ?? []).map(({ key }) => key)

describe('properties of a manager version, in the order of the table', () => {
  test('a property added to a manager version has no definition and false flags, whatever was sent', async () => {
    const { version } = await newModel(client)
    const created = await client.post(`property/${version.grn}`, body)
    expect(shapeOf(created)).toEqual([200, 'property', entriesOf('Property', own)])
  })

  test('an update of a property changes the sent fields, by either name of a flag, and keeps all others', async () => {
    const { grn } = await newProperty()
    const entries = (more: object, enver: number) => entriesOf('Property', { ...own, ...more }, { enver })
    const first = await client.put(`property/${grn}`, { key: 'title', definition: 'A title.', isEditable: true })
    expect(shapeOf(first)).toEqual([
      200,
      'property',
      entries({ key: 'title', definition: 'A title.', editable: true }, 1),
    ])
    const second = await client.put(`property/${grn}`, { editable: false, deletable: true, dataType: null })
    expect(shapeOf(second)).toEqual([
      200,
      'property',
      entries({ key: 'title', definition: 'A title.', deletable: true }, 2),
    ])
    const [before, after] = [first.body.property, second.body.property]
    expect([after?.id, after?.grn, after?.createdAt]).toEqual([before?.id, before?.grn, before?.createdAt])
    expect(String(after?.updatedAt) >= String(before?.updatedAt)).toBe(true)
  })

  test('a property of a manager version is updated by its name', async () => {
    const { v } = await newProperty()
    const answer = await client.put(`property/name/${v}/name`, { key: 'title' })
    expect(shapeOf(answer)).toEqual([200, 'property', entriesOf('Property', { ...own, key: 'title' }, { enver: 1 })])
  })

  test('the properties of a manager version are listed by its grn and by its name, sorted by key', async () => {
    const { versionName, v } = await newProperty()
    await client.made(`property/${v}`, { key: 'born' })
    const byGrn = await client.get(`properties/${v}`)
    expect(Object.keys(byGrn.body)).toEqual(['properties'])
    expect(keysOf(byGrn)).toEqual(['born', 'name'])
    expect((await client.get(`properties/name/${versionName}`)).body).toEqual(byGrn.body)
  })

  test('a property is read by its grn and by its name', async () => {
    const { v, grn } = await newProperty()
    const read = await client.get(`property/${grn}`)
    const listed = (await client.get(`properties/${v}`)).body.properties as unknown as object[]
    expect(read.body).toEqual({ property: listed[0] })
    expect((await client.get(`property/name/${v}/name`)).body).toEqual(read.body)
  })

  test('a property is deleted by its grn alone', async () => {
    const { grn } = await newProperty()
    expect((await client.delete(grn)).text).toBe('{}')
    expect([(await client.get(`property/${grn}`)).status, (await client.delete(grn)).status]).toEqual([404, 404])
  })

  test('a property is deleted from a manager version by its grn and by its name', async () => {
    const { v, grn } = await newProperty()
    await client.made(`property/${v}`, { key: 'born' })
    expect((await client.delete(`property/${v}/${grn}`)).text).toBe('{}')
    expect((await client.delete(`property/${v}/born`)).text).toBe('{}')
    const left = await client.get(`properties/${v}`)
    expect([left.status, left.text]).toEqual([200, '{"properties":[]}'])
  })
})

test('a key is unique in its version, whether created or renamed, and free again after a rename', async () => {
  const { version: one } = await newModel(client)
  const { version: two } = await newModel(client)
  const made = await client.made(`property/${one.grn}`, { key: 'a/b "c"' })
  await client.made(`property/${two.grn}`, { key: 'a/b "c"' })
  await client.made(`property/${one.grn}`, { key: 'other' })
  await client.made(`nodeType/${one.grn}`, { key: 'other' })
  const refused = [
    await client.post(`property/${one.grn}`, { key: 'a/b "c"' }),
    await client.put(`property/name/${one.grn}/${encodeURIComponent('a/b "c"')}`, { key: 'other' }),
  ]
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, 'key: there is a property with the key "a/b "c"" in this manager version'],
    [409, 'key: there is a property with the key "other" in this manager version'],
  ])
  expect((await client.get(`property/${made.grn}`)).body.property?.enver).toBe(0)
  await client.put(`property/${made.grn}`, { key: 'free' })
  expect((await client.post(`property/${one.grn}`, { key: 'a/b "c"' })).status).toBe(200)
})

test('If-Match decides whether an update or a delete is performed', async () => {
  const { version: one } = await newModel(client)
  const { grn } = await client.made(`property/${one.grn}`, { key: 'a' })
  const put = (ifMatch: string) => client.put(`property/${grn}`, { displayValue: ifMatch }, { 'If-Match': ifMatch })
  const statuses = []
  for (const ifMatch of ['"0"', '"0"', '"7", "1"', '*', 'W/"2"', 'W/"3"', '"x"'])
    statuses.push((await put(ifMatch)).status)
  expect(statuses).toEqual([200, 412, 200, 200, 412, 200, 412])
  const refused = await client.send('DELETE', grn, undefined, { 'If-Match': '"3"' })
  expect([refused.status, refused.headers.get('Content-Type'), refused.body.detail]).toEqual([
    412,
    'application/problem+json; charset=utf-8',
    'If-Match: the property now has another enver; read it again',
  ])
  expect((await client.get(`property/${grn}`)).body.property?.enver).toBe(4)
  expect((await client.send('DELETE', grn, undefined, { 'If-Match': '"4"' })).status).toBe(200)
})

test('of twenty concurrent requests for one key, or with one If-Match, one succeeds; without, all do', async () => {
  const { version: one } = await newModel(client)
  const statuses = async (send: (index: number) => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)))).map(({ status }) => status).sort()
  const nineteen = (status: number) => [200, ...Array.from({ length: 19 }, () => status)]
  expect(await statuses(() => client.post(`property/${one.grn}`, { key: 'a' }))).toEqual(nineteen(409))
  const put = (index: number, headers = {}) =>
    client.put(`property/name/${one.grn}/a`, { displayValue: `${index}` }, headers)
  expect(await statuses((index) => put(index, { 'If-Match': '"0"' }))).toEqual(nineteen(412))
  expect(await statuses((index) => put(index))).toEqual(nineteen(200))
  expect((await client.get(`property/name/${one.grn}/a`)).body.property?.enver).toBe(21)
}, 240_000)

test('a single record has its enver as ETag, which If-Match accepts', async () => {
  const { version: one } = await newModel(client)
  const made = await client.post(`property/${one.grn}`, { key: 'a' })
  const path = `property/${made.body.property?.grn}`
  const changed = await client.put(path, { displayValue: 'x' }, { 'If-Match': made.headers.get('ETag') as string })
  const read = await client.get(path)
  expect([made, changed, read].map(({ headers }) => headers.get('ETag'))).toEqual(['"0"', '"1"', '"1"'])
  expect((await client.get(`properties/${one.grn}`)).headers.get('ETag')).toBeNull()
})

test('an update clears a text with an empty string; null counts as absent', async () => {
  const { version: one } = await newModel(client)
  const { grn } = await client.made(`property/${one.grn}`, { key: 'a', dataType: 'String', displayValue: 'A' })
  const { body: answer } = await client.put(`property/${grn}`, { displayValue: '', dataType: null })
  expect([answer.property?.displayValue, answer.property?.dataType]).toEqual([null, 'String'])
  expect((await client.get(`property/${grn}`)).body).toEqual(answer)
})

test('a duplicate is refused without retries, whatever text the key holds', async () => {
  const { version: one } = await newModel(client)
  const key = 'property `id`'
  await client.made(`property/${one.grn}`, { key })
  const times = [Number.POSITIVE_INFINITY]
  for (let round = 0; round < 10 && Math.min(...times) >= 300; round++) {
    const started = performance.now()
    expect((await client.post(`property/${one.grn}`, { key })).status).toBe(409)
    times.push(performance.now() - started)
  }
  expect(Math.min(...times)).toBeLessThan(300)
})
