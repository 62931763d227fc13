import { afterAll, expect, inject, test } from 'vitest'
import { allOrgs, noOrg } from '../../api/http/access.ts'
import { createClient } from '../../dev/client.ts'
import { prepare } from '../support/clients/e2e.ts'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'
import { openTraces } from '../support/storage/traces.ts'

const { client, org, ids, fields } = await prepare(2)
const { apiUrl, tokens } = inject('service')
const stranger = createClient(apiUrl, tokens.acme as string)
const traces = openTraces()
afterAll(() => traces.close())

// One of each kind: a stored packet and its job, and a failed job.
const fileName = 'theirs'
const publish = (orgName: string, name: string, changes: object = {}) =>
  client.post('/1.0/publish/', { ...fields, originIds: ids, orgName, fileName: name, ...changes })
const jobOf = async (answer: ReturnType<typeof publish>) =>
  (await answer).headers.get('Location')?.split('/').at(-1) as string
const id = await jobOf(publish(org, fileName))
const failed = await jobOf(publish(org, 'failed', { dbUrl: 'bolt://127.0.0.1:1' }))

/** All that the owner can read, and all that is stored. */
async function everything() {
  const answers = await Promise.all(
    [`publish/${org}`, `publish/${org}/${fileName}`, `jobs?orgName=${org}`, `jobs/${id}`, `jobs/${failed}`].map(
      (path) => client.get(`/1.0/${path}`),
    ),
  )
  return { answers: answers.map(({ status, text }) => [status, text]), traces: await traces.settled(org) }
}
const before = await everything()

const ofOrgs = everyEndpoint.filter(([, { access }]) => access !== noOrg && access !== allOrgs)

test('the compared data exists', () => {
  expect(before.answers.map(([status]) => status)).toEqual([200, 200, 200, 200, 200])
  expect(before.traces.objects.length).toBeGreaterThan(2)
})

test.each(ofOrgs)('%s answers 404, and changes nothing', async (_name, endpoint) => {
  for (const names of [{ id }, { id: failed }, { fileName: 'failed' }, { orgName: `${org}/below` }]) {
    const { method, path, body } = requestTo(endpoint, { orgName: org, fileName, id, ...names })
    const { status, text } = await stranger.call(method, path, body)
    expect([method, path, status]).toEqual([method, path, 404])
    expect(text).not.toMatch(/another|forbidden|token|Person/i)
  }
  expect(await everything()).toEqual(before)
})

test("another org's data and nonexistent data are answered with the same words", async () => {
  const inOrg = (orgName: string) => stranger.get(`/1.0/publish/${orgName}/${fileName}`)
  const missing = (await inOrg('nosuchorg')).text.replaceAll('nosuchorg', org)
  expect((await inOrg(org)).text).toBe(missing)
  expect((await stranger.get(`/1.0/jobs/${id}`)).text).toBe((await stranger.get('/1.0/jobs/no-such-job')).text)
})

test("lists do not show another org's jobs, nor accept its name", async () => {
  expect((await stranger.get(`/1.0/jobs?orgName=${org}`)).status).toBe(404)
  expect((await stranger.get('/1.0/jobs?limit=1000')).text).not.toContain(org)
})

test("an Idempotency-Key used by another token does not lead to that token's job", async () => {
  const key = { 'Idempotency-Key': `shared-${org}` }
  const request = { ...fields, originIds: ids, orgName: org, fileName: 'keyed' }
  const own = await client.post('/1.0/publish/', request, key)
  const foreign = await stranger.post('/1.0/publish/', request, key)
  expect([own.status, foreign.status, foreign.headers.get('Location')]).toEqual([200, 404, null])
})
