import { describe, expect, inject, test } from 'vitest'
import type { z } from 'zod'
import { createClient } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { everyEndpoint, requestTo } from '../../support/clients/every-endpoint.ts'
import { managerClient, newModel } from '../../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const all = createClient(apiUrl, tokens.all as string)
const acme = createClient(apiUrl, tokens['acme-models'] as string)
const owner = managerClient(all)
const stranger = managerClient(acme)

// A model of another org, with a record of each kind.
const { name, manager, version } = await newModel(owner)
const property = await owner.made(`property/${version.grn}`, { key: 'title' })
const nodeType = await owner.made(`nodeType/${version.grn}`, { key: 'Movie' })
const implementation = await owner.made(`property/${nodeType.grn}/${property.grn}`)
await owner.put(`property/${implementation.grn}`, { unique: true })

const theirs = [manager, version, property, nodeType, implementation].map(({ grn }) => grn)
const named: Record<string, string> = { managerName: name, managerVersionName: name, manager: name }

async function everything() {
  const paths = [`versions/${manager.grn}`, `properties/${version.grn}`, `properties/${nodeType.grn}`]
  const answers = await Promise.all([...paths, `constraints/${version.grn}`].map((path) => owner.get(path)))
  return answers.map(({ text }) => text)
}
const before = await everything()

/** Every way to name those records on a path: all matching values of the parameters, one after the other. */
function* requestsTo(endpoint: (typeof everyEndpoint)[number][1]) {
  const { shape } = endpoint.params as z.ZodObject
  const values = (parameter: string) => {
    const grns = theirs.filter((grn) => (shape[parameter] as z.ZodType).safeParse(grn).success)
    if (parameter === 'name') return [endpoint.path.includes('nodeType') ? 'Movie' : 'title']
    return grns.length > 0 ? [...grns, ...(named[parameter] ? [named[parameter]] : [])] : [named[parameter] as string]
  }
  const parameters = Object.keys(shape)
  const rounds = Math.max(...parameters.map((parameter) => values(parameter).length))
  for (let round = 0; round < rounds; round++) {
    const chosen = parameters.map((parameter) => [parameter, values(parameter)[round % values(parameter).length]])
    yield requestTo(endpoint, Object.fromEntries(chosen))
  }
}

const onRecords = everyEndpoint.filter(
  ([, { path, params }]) => path.startsWith('/1.0/manager/') && params && !path.includes(':orgGrn'),
)

describe("another org's model", () => {
  test.each(onRecords)(
    "%s answers for another org's model that there is no such record, and changes nothing",
    async (_name, endpoint) => {
      for (const { method, path, body } of requestsTo(endpoint)) {
        const sent = method === 'PUT' && path.includes('propertyimpl') ? { unique: false } : body
        const { status, text } = await acme.call(method, path, sent)
        expect([method, path, status]).toEqual([method, path, 404])
        expect(text).toMatch(/there is no /)
      }
      expect(await everything()).toEqual(before)
    },
  )

  test("another org's model is answered exactly like a model that does not exist", async () => {
    const nothing = `grn:gg:manager:${'0'.repeat(44)}`
    const [foreign, missing] = [await stranger.get(manager.grn), await stranger.get(nothing)]
    expect(foreign.text).toBe(missing.text.replaceAll(nothing, manager.grn))
  })

  test("another org's model shares no node types or properties with the caller's own model", async () => {
    const own = await stranger.made('grn:gg:org:acme', { name: uniqueName('own') })
    const ofOwn = (await stranger.get(`versions/${own.grn}`)).body.managerVersions as unknown as { grn: string }[]
    const type = await stranger.made(`nodeType/${ofOwn[0]?.grn}`, { key: 'Own' })
    const mine = await stranger.made(`property/${ofOwn[0]?.grn}`, { key: 'own' })
    const refused = [
      await stranger.post(`property/${type.grn}/${property.grn}`),
      await stranger.post(`property/${nodeType.grn}/${mine.grn}`),
    ]
    expect(refused.map(({ status }) => status)).toEqual([404, 404])
  })
})

test('a manager is created in an org of the token; another org is refused as publish refuses it', async () => {
  const refused = await stranger.post('grn:gg:org:other', { name: uniqueName('model') })
  const published = await createClient(apiUrl, tokens.acme as string).post('/1.0/publish/other')
  expect([refused.status, published.status]).toEqual([404, 404])
  expect(published.body.error).toBe(`404 Not Found: ${refused.body.detail}`)
})

test("an org's own model is read, changed and deleted by its token, and readable by a token of all orgs", async () => {
  const made = await stranger.made('grn:gg:org:acme', { name: uniqueName('own') })
  expect((await owner.get(made.grn)).status).toBe(200)
  expect((await stranger.get(`name/${made.name}`)).status).toBe(200)
  const versions = (await stranger.get(`versions/${made.grn}`)).body.managerVersions as unknown as { grn: string }[]
  const type = await stranger.made(`nodeType/${versions[0]?.grn}`, { key: 'Own' })
  expect((await stranger.put(`nodeType/${type.grn}`, { displayValue: 'Mine' })).status).toBe(200)
  expect((await stranger.delete(made.grn)).status).toBe(200)
  expect((await owner.get(made.grn)).status).toBe(404)
})
