import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import type { PublishAnswer } from '../../dev/client.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'

const tokens = [{ name: 'another', orgs: ['*'], scopes: ['publish:read', 'publish:write'] }]
const { service, client, as, keysBelow, store } = await ownService({ tokens })
const { org, ids, fields } = await prepare(30, service)

const request = (fileName: string) => ({ ...fields, originIds: ids, orgName: org, fileName })
const keyed = (key: string, more = {}) => ({ 'Idempotency-Key': key, Prefer: 'respond-async', ...more })
const reversed = (map: object) => Object.fromEntries(Object.entries(map).reverse())
const told = ({ status, headers }: { status: number; headers: Headers }) => ({
  status,
  location: headers.get('Location'),
  replayed: headers.get('Idempotent-Replayed'),
})

// No worker runs in the following tests: submitted jobs stay queued.
describe('the same request with the same key, while its job is unfinished,', () => {
  test('a repeated request with the same key returns the same unfinished job, even with reordered fields', async () => {
    const key = randomUUID()
    const first = await client.post('/1.0/publish/', request('same'), keyed(key))
    const again = [
      await client.post('/1.0/publish/', request('same'), keyed(key)),
      await client.post('/1.0/publish/', reversed(request('same')), keyed(key)),
    ]
    expect(told(first)).toMatchObject({ status: 202, replayed: null })
    expect(again.map(told)).toEqual(Array(2).fill({ ...told(first), replayed: 'true' }))
    expect(again.map(({ body }) => body)).toEqual([first.body, first.body])
  })

  test('a repeated multi with the same key returns the same unfinished job', async () => {
    const body = [request('multi'), { ...request('multi'), metadata: false }]
    const post = () => client.post('/1.0/publish/multi?batchsize=7', body, keyed('multi'))
    const [first, again] = [await post(), await post()]
    expect(told(again)).toEqual({ ...told(first), replayed: 'true' })
    const others = [
      await client.post('/1.0/publish/multi?batchsize=8', body, keyed('multi')),
      await client.post('/1.0/publish/multi?batchsize=7&forceOverwrite=true', body, keyed('multi')),
      await client.post('/1.0/publish/multi?batchsize=7', body.toReversed(), keyed('multi')),
    ]
    expect(others.map(({ status }) => status)).toEqual([422, 422, 422])
  })

  test('a request that is sent twenty times at once with the same key makes one job', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post('/1.0/publish/', request('at once'), keyed('at-once'))),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202))
    expect(new Set(answers.map((answer) => told(answer).location)).size).toBe(1)
    expect(answers.filter((answer) => told(answer).replayed === 'true').length).toBe(19)
    const { body } = await client.get<{ jobs: { fileName: string }[] }>(`/1.0/jobs?orgName=${org}`)
    expect(body.jobs.filter(({ fileName }) => fileName === 'at once').length).toBe(1)
    const id = told(answers[0] as (typeof answers)[0])
      .location?.split('/')
      .at(-1)
    const requests = (await keysBelow(`${org}/.jobs/`)).filter((stored) => stored.endsWith('/request'))
    expect(requests.filter((stored) => stored.includes(`/${id}/`)).length).toBe(1)
  })
})

test('another request with a used key is 422, and changes nothing', async () => {
  const first = await client.post('/1.0/publish/', request('used'), keyed('used'))
  const other = await client.post('/1.0/publish/', { ...request('used'), metadata: false }, keyed('used'))
  expect([other.status, other.body]).toEqual([
    422,
    {
      ...Object.fromEntries(Object.keys(first.body as PublishAnswer).map((field) => [field, null])),
      error:
        '422 Unprocessable Entity: Idempotency-Key: this key was used for another request within the last 24 hours',
    },
  ])
  const again = await client.post('/1.0/publish/', request('used'), keyed('used'))
  expect(told(again)).toEqual({ ...told(first), replayed: 'true' })
})

test('the same request for a cancelled job is 409, and names the job', async () => {
  const post = () => client.post('/1.0/publish/', request('cancelled'), keyed('cancelled'))
  const first = await post()
  await client.post(`${told(first).location}/cancel`)
  const again = await post()
  expect(told(again)).toEqual({ status: 409, location: told(first).location, replayed: 'true' })
  expect(again.body.error).toBe('409 Conflict: the job was cancelled; it has no result')
})

test('the same key of two clients makes two jobs', async () => {
  const mine = await client.post('/1.0/publish/', request('mine'), keyed('shared'))
  const other = await as('another').post('/1.0/publish/', request('other'), keyed('shared'))
  expect([mine, other].map(told)).toMatchObject(Array(2).fill({ status: 202, replayed: null }))
  expect(told(other).location).not.toBe(told(mine).location)
})

test('a failed submission does not use up its key', async () => {
  const held = await client.post('/1.0/publish/', request('held'), keyed(randomUUID()))
  const key = randomUUID()
  const fail = async (change: object) =>
    (await client.post('/1.0/publish/', { ...request('held'), ...change }, keyed(key))).status
  expect([await fail({}), await fail({ orgName: 'no-org' }), await fail({ dbUrl: 'bolt://127.0.0.1:9' })]).toEqual([
    409, 404, 422,
  ])
  await client.post(`${told(held).location}/cancel`)
  const free = await client.post('/1.0/publish/', request('held'), keyed(key))
  expect(told(free)).toMatchObject({ status: 202, replayed: null })
})

test('a key that is not 1 to 255 visible ASCII characters is 400; endpoints without keys ignore it', async () => {
  const bad = { 'Idempotency-Key': 'a b' }
  const refused = await client.post('/1.0/publish/', request('refused'), bad)
  expect([refused.status, refused.body.error]).toEqual([
    400,
    '400 Bad Request: Idempotency-Key: must be 1 to 255 visible ASCII characters',
  ])
  const { mappedIndices } = fields
  const label = mappedIndices.DEFAULT_INDEX
  const pair = { mappedIndices, fileName: 'pairs', startLabel: label, endLabel: label }
  const ignored = [
    await client.post('/1.0/publish/', { ...request('x'), returnOnly: true }, bad),
    await client.post('/1.0/publish/', { ...request('x'), returnOnly: true }, keyed('used')),
    await client.post(
      `/1.0/publish/${org}/delete`,
      { mappedIndices, index: label, originIds: ['a'], fileName: 'd' },
      bad,
    ),
    await client.post(`/1.0/publish/${org}`, undefined, bad),
    await client.post(`/1.0/publish/${org}/createrelationships`, pair, bad),
  ]
  expect(ignored.slice(0, 4).map(told)).toEqual(Array(4).fill({ status: 200, location: null, replayed: null }))
  expect(ignored[4]?.body.error).not.toContain('Idempotency-Key')
})

test('no password is in Redis, in any value', async () => {
  const password = `canary-${randomUUID()}`
  const credentials = `Basic ${btoa(`neo4j:${password}`)}`
  const { status } = await client.post('/1.0/publish/', { ...request('secret'), credentials }, keyed('secret'))
  expect(status).toBe(202)
  const redis = new Redis(service.redisUrl)
  const texts: string[] = []
  for (const key of await redis.keys('*')) texts.push(key, String((await redis.dumpBuffer(key))?.toString('latin1')))
  for (const key of await redis.keys('packets:job:*')) texts.push(JSON.stringify(await redis.hgetall(key)))
  redis.disconnect()
  expect(texts.some((text) => text.includes('packets:idempotency:'))).toBe(true)
  expect(texts.filter((text) => text.includes(password) || text.includes(credentials.slice(6)))).toEqual([])
})

test('the answer of a finished job is replayed, also to twenty concurrent requests that waited for it', async () => {
  const worker = await service.startWorker()
  const post = (wait = 55) => client.post('/1.0/publish/', request('done'), keyed('done', { Prefer: `wait=${wait}` }))
  const answers = await Promise.all(Array.from({ length: 20 }, () => post()))
  const first = answers.find((answer) => told(answer).replayed === null)
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const late = await post(0)
  expect(told(late)).toEqual({ ...told(first as typeof late), replayed: 'true' })
  expect(late.body.transactionRequest).toEqual(first?.body.transactionRequest)
  expect((await fetch(late.body.fileLocation as string)).status).toBe(200)
  expect((await client.post('/1.0/publish/', request('done'))).status).toBe(409)
  await worker.stop(60_000)
})

test('a failure of the service itself is not replayed: the same request makes a new job', async () => {
  const post = (prefer: string) => client.post('/1.0/publish/', request('unkept'), keyed('unkept', { Prefer: prefer }))
  const first = await post('respond-async')
  const location = told(first).location as string
  await store.remove(`${org}/.jobs/${location.split('/').at(-1)}/request`)
  const worker = await service.startWorker()
  const { state, attempt, error } = await client.followJob(location)
  const message = 'the request of this publish is no longer kept; submit it again'
  expect({ state, attempt, error }).toEqual({
    state: 'failed',
    attempt: 1,
    error: { status: 500, code: 'requestGone', message },
  })
  const again = await post('wait=30')
  expect(told(again)).toMatchObject({ status: 200, replayed: null })
  expect(told(again).location).not.toBe(location)
  expect(told(await post('wait=30'))).toEqual({ ...told(again), replayed: 'true' })
  await worker.stop(60_000)
})
