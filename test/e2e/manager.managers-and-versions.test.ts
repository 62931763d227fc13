import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { anyGrn, entriesOf, managerClient, newModel, shapeOf, someOrg } from '../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const client = managerClient(createClient(apiUrl, tokens.all as string))

test('the status is 200 and empty, without a token', async () => {
  const { status, text } = await createClient(apiUrl, null).get('/1.0/manager/status')
  expect([status, text]).toEqual([200, ''])
})

test('a manager is created, read by grn and by name, and deleted', async () => {
  const name = uniqueName('model')
  const expected = [200, 'manager', entriesOf('Manager', { name, org: null })]
  const created = await client.post(someOrg, { name })
  expect(shapeOf(created)).toEqual(expected)
  const grn = created.body.manager?.grn as string
  for (const path of [grn, `name/${name}`, name]) {
    const read = await client.get(path)
    expect([path, read.body]).toEqual([path, created.body])
  }
  const deleted = await client.delete(grn)
  expect([deleted.status, deleted.text]).toEqual([200, '{}'])
  expect((await client.get(grn)).status).toBe(404)
  expect((await client.get(`name/${name}`)).status).toBe(404)
})

test('get manager by name accepts a bare token, as its example sends it', async () => {
  const { name, manager } = await newModel(client)
  const bare = managerClient(createClient(apiUrl, null))
  const answer = await bare.send('GET', `name/${name}`, undefined, { Authorization: tokens.all as string })
  expect([answer.status, answer.body]).toEqual([200, { manager }])
})

test.each(['a/b', 'ü "ß" %', 'status', '日本', 'a b+c', '..'])('a manager may be named %s', async (odd) => {
  const { name, manager } = await newModel(client, uniqueName(odd) + odd)
  expect((await client.get(`name/${encodeURIComponent(name)}`)).body).toEqual({ manager })
  expect((await client.get(encodeURIComponent(name))).body).toEqual({ manager })
  await client.delete(manager.grn)
})

test('a manager starts with one version of its name; later ones are numbered, and no number is reused', async () => {
  const { name, manager } = await newModel(client)
  const entries = (versionName: string, number: number) =>
    entriesOf('ManagerVersion', { name: versionName, manager: manager.grn, number })
  const second = await client.post(`version/${manager.grn}`)
  expect(shapeOf(second)).toEqual([200, 'managerVersion', entries(`${name}-2`, 2)])
  expect((await client.delete(`version/${second.body.managerVersion?.grn}`)).text).toBe('{}')
  expect(shapeOf(await client.post(`version/${manager.grn}`))[2]).toEqual(entries(`${name}-3`, 3))
  const named = await client.post(`version/${manager.grn}`, { name: `${name}-next` })
  expect(shapeOf(named)[2]).toEqual(entries(`${name}-next`, 4))
  const { body } = await client.get(`versions/${manager.grn}`)
  const versions = body.managerVersions as unknown as { name: string; number: number }[]
  expect(versions.map((version) => [version.name, version.number])).toEqual([
    [name, 1],
    [`${name}-3`, 3],
    [`${name}-next`, 4],
  ])
})

test('a version is read by grn and by name', async () => {
  const { name, version } = await newModel(client)
  expect(version.manager).toEqual(anyGrn('manager'))
  expect((await client.get(`version/${version.grn}`)).body).toEqual({ managerVersion: version })
  expect((await client.get(`version/name/${name}`)).body).toEqual({ managerVersion: version })
})

test('names are unique among managers, and among versions of all managers', async () => {
  const { name, manager } = await newModel(client)
  const other = await newModel(client)
  const refused = [
    await client.post(someOrg, { name }),
    await client.post(`version/${manager.grn}`, { name }),
    await client.post(`version/${other.manager.grn}`, { name }),
  ]
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual([
    [409, `name: a manager or a manager version is already named "${name}"`],
    [409, `name: a manager version already has the name "${name}"`],
    [409, `name: a manager version already has the name "${name}"`],
  ])
  // A refused create leaves nothing: a version's name becomes free for a manager once that version is deleted.
  const taken = await client.made(`version/${manager.grn}`, { name: `${name}-x` })
  expect((await client.post(someOrg, { name: `${name}-x` })).status).toBe(409)
  await client.delete(`version/${taken.grn}`)
  expect((await client.post(someOrg, { name: `${name}-x` })).status).toBe(200)
})

test('versions named by number skip names that are taken', async () => {
  const { name, manager } = await newModel(client)
  const other = await newModel(client)
  await client.made(`version/${manager.grn}`, { name: `${name}-3` })
  await client.made(`version/${other.manager.grn}`, { name: `${name}-4` })
  const made = [await client.made(`version/${manager.grn}`), await client.made(`version/${manager.grn}`)]
  expect(made.map((version) => [version.name, version.number])).toEqual([
    [`${name}-5`, 5],
    [`${name}-6`, 6],
  ])
})
