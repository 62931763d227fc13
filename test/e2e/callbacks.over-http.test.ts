import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { prepare } from '../support/clients/e2e.ts'
import { stuckOrigin } from '../support/faults/stuck-origin.ts'
import { attempted } from '../support/jobs/ended-jobs.ts'
import { ownService } from '../support/programs/own-service.ts'
import { callbackSettings, newSecret, soon, startReceiver, verified } from '../support/servers/receiver.ts'
import { everythingInRedis, everythingInTheStore } from '../support/storage/kept-texts.ts'

const secret = newSecret()
const receiver = await startReceiver()
const stuck = await stuckOrigin()
const tokens = [
  { name: 'stranger', orgs: ['stranger'], scopes: ['publish:read', 'publish:write'] },
  { name: 'reader', orgs: ['*'], scopes: ['publish:read'] },
]
// A second job that hangs takes the last slot.
const env = { ...callbackSettings([receiver], secret), WORKER_CONCURRENCY: '2' }
const { service, client, as, store } = await ownService({ tokens, env, workers: 1, origins: [stuck.address] })
const { org, ids, fields } = await prepare(3, service)
const redis = new Redis(service.redisUrl)
afterAll(() => redis.disconnect())

const path = uniqueName('canary-path')
const callbackUrl = `https://${receiver.address}/${path}`
const request = (change: object = {}) => ({
  ...fields,
  originIds: ids,
  orgName: org,
  fileName: uniqueName('file'),
  callbackUrl,
  ...change,
})
const idOf = ({ headers }: { headers: Headers }) => headers.get('Location')?.split('/').at(-1) as string
const receivedFor = (id: string) => receiver.received.filter(({ headers }) => `${headers['webhook-id']}`.startsWith(id))
const calledBack = async (id: string) => {
  await expect.poll(() => receivedFor(id).length, soon).toBe(1)
  return verified(receivedFor(id)[0] as (typeof receiver.received)[0], secret)
}
const jobAt = async (id: string) => (await client.get<JobRecord>(`/1.0/jobs/${id}`)).body
const delivered = attempted(receiver.address, { state: 'delivered', attempts: 1, lastStatus: 204 })

describe('a job calls back', () => {
  test('a job calls back when its packet is stored, with the job and where to read its result', async () => {
    const answer = await client.post('/1.0/publish/', request())
    const id = idOf(answer)
    const { type, data } = await calledBack(id)
    await expect.poll(async () => (await jobAt(id)).callback, soon).toEqual(delivered)
    const { callback: _, paused: __, waiting: ___, failures: ____, ...job } = await jobAt(id)
    expect([answer.status, type]).toEqual([200, 'job.succeeded'])
    expect(data).toMatchObject(job)
    for (const link of [data.result, data.manifest]) expect((await client.get(`${link}`)).status).toBe(200)
  })

  test('a job calls back when a multi has ended, whichever sub-requests name the address', async () => {
    const fileName = uniqueName('multi')
    const body = [request({ fileName, callbackUrl: null }), request({ fileName }), request({ fileName })]
    expect(await calledBack(idOf(await client.post('/1.0/publish/multi', body)))).toMatchObject({
      data: { kind: 'multi', state: 'succeeded' },
    })
  })

  test('a job calls back when it has failed, and when it was cancelled while it ran or at once', async () => {
    stuck.hold()
    const elsewhere = { dbUrl: `bolt://${stuck.address}` }
    const running = idOf(await client.post('/1.0/publish/', request(elsewhere), { Prefer: 'respond-async' }))
    await expect.poll(async () => (await jobAt(running)).state, soon).toBe('running')
    const refused = { credentials: `Basic ${btoa('nobody:wrong')}` }
    const failed = idOf(await client.post('/1.0/publish/', request(refused)))
    const another = idOf(await client.post('/1.0/publish/', request(elsewhere), { Prefer: 'respond-async' }))
    await expect.poll(async () => (await jobAt(another)).state, soon).toBe('running')
    const queued = idOf(await client.post('/1.0/publish/', request(), { Prefer: 'respond-async' }))
    const before = await client.post(`/1.0/jobs/${queued}/callback`)
    expect([before.status, before.text]).toEqual([409, expect.stringContaining('it calls back when it has ended')])
    expect((await client.post(`/1.0/jobs/${queued}/cancel`)).status).toBe(200)
    for (const id of [running, another]) expect((await client.post(`/1.0/jobs/${id}/cancel`)).status).toBe(202)
    stuck.letGo()
    const types = await Promise.all([running, failed, queued].map(calledBack))
    expect(types.map(({ type }) => type)).toEqual(['job.cancelled', 'job.failed', 'job.cancelled'])
  })

  test('a job calls back once more when asked to, which other orgs and readers cannot', async () => {
    const id = idOf(await client.post('/1.0/publish/', request()))
    await calledBack(id)
    await expect.poll(async () => (await jobAt(id)).callback, soon).toEqual(delivered)
    const again = `/1.0/jobs/${id}/callback`
    expect([(await as('stranger').post(again)).status, (await as('reader').post(again)).status]).toEqual([404, 403])
    expect((await client.post(again)).status).toBe(200)
    await expect
      .poll(() => receivedFor(id).map(({ headers }) => headers['webhook-id']), soon)
      .toEqual(Array(2).fill(`${id}.succeeded`))
    const silent = idOf(await client.post('/1.0/publish/', request({ callbackUrl: null })))
    expect([(await jobAt(silent)).callback, (await client.post(`/1.0/jobs/${silent}/callback`)).status]).toEqual([
      null,
      409,
    ])
  })
})

describe('a callbackUrl is refused', () => {
  const refusal = async (body: object, at = '/1.0/publish/', to = client) => (await to.post(at, body)).body.error
  const form = 'must be https://host[:port][/path][?query], without credentials or a fragment'

  test.each([
    ['another scheme', `http://${receiver.address}/`, `400 Bad Request: callbackUrl: ${form}`],
    ['credentials', `https://me:word@${receiver.address}/`, `400 Bad Request: callbackUrl: ${form}`],
    [
      'an address that is not allowed',
      'https://169.254.169.254/',
      '422 Unprocessable Entity: callbackUrl: this address is not allowed; add it to CALLBACK_ALLOW to allow it',
    ],
  ])('a callbackUrl is refused with %s', async (_what, url, error) => {
    expect(await refusal(request({ callbackUrl: url }))).toBe(error)
  })

  test('a callbackUrl is refused where there is no job: with returnOnly, and at the delete endpoint', async () => {
    const together = 'callbackUrl: must not be given together with returnOnly, which makes no job'
    expect(await refusal(request({ returnOnly: true }))).toBe(`400 Bad Request: ${together}`)
    expect(await refusal([request({ returnOnly: true })], '/1.0/publish/multi')).toBe(
      `400 Bad Request: [0].${together}`,
    )
    const { mappedIndices } = fields
    const body = { mappedIndices, index: mappedIndices.DEFAULT_INDEX, originIds: ids, fileName: 'gone', callbackUrl }
    expect(await refusal(body, `/1.0/publish/${org}/delete`)).toBe(
      '400 Bad Request: callbackUrl: not taken here, as there is no job',
    )
  })

  test('a callbackUrl is refused when sub-requests disagree on it', async () => {
    const body = [request({ fileName: 'one' }), request({ fileName: 'one', callbackUrl: `${callbackUrl}/other` })]
    expect(await refusal(body, '/1.0/publish/multi')).toBe(
      '400 Bad Request: [1].callbackUrl: must be the same as in [0]',
    )
  })

  test('a callbackUrl is refused where the service has no CALLBACK_ALLOW', async () => {
    const { apiUrl, tokens: given } = inject('service')
    const { org: own, fields: ownFields } = await prepare(1)
    const body = { ...request(ownFields), orgName: own }
    expect(await refusal(body, '/1.0/publish/', createClient(apiUrl, given.all as string))).toBe(
      '422 Unprocessable Entity: callbackUrl: callbacks are disabled; set CALLBACK_ALLOW to enable them',
    )
  })
})

test('the address beyond its host is in the record only, and a secret nowhere', async () => {
  const logs = service.logs()
  expect(logs).toContain('"msg":"callback delivered"')
  const { body, text } = await client.get<{ jobs: object[] }>('/1.0/jobs')
  expect(body.jobs.length).toBeGreaterThan(4)
  const bodies = receiver.received.map((one) => one.body).join('\n')
  const told = [logs, text, bodies, (await client.get('/metrics')).text, await everythingInTheStore(store)]
  for (const written of told) for (const canary of [path, secret]) expect(written.includes(canary)).toBe(false)
  const inRedis = await everythingInRedis(service.redisUrl)
  expect([inRedis.includes(path), inRedis.includes(secret)]).toEqual([true, false])
})
