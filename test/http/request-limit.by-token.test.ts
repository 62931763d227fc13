import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { ownRedis } from '../support/faults/own-redis.ts'
import { ownService } from '../support/programs/own-service.ts'

const limit = 20
const tokens = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'].map((name) => ({
  name,
  orgs: ['*'],
  scopes: ['publish:read', 'publish:write'],
}))
const redis = await ownRedis(afterAll)
const { service, as, client } = await ownService({
  redisDatabase: 0,
  tokens,
  env: { REDIS_URL: redis.address.url, RATE_LIMIT_PER_MINUTE: String(limit) },
})
const org = uniqueName('org')
// Read from the object store, so that it is answered with and without Redis.
const list = `/1.0/publish/${org}`
beforeAll(async () => {
  await client.post(list)
})

/** Counts the statuses of `count` sequential requests. */
async function statusesOf(count: number, ask: () => Promise<{ status: number }>): Promise<Record<number, number>> {
  const counted: Record<number, number> = {}
  for (let sent = 0; sent < count; sent++) {
    const { status } = await ask()
    counted[status] = (counted[status] ?? 0) + 1
  }
  return counted
}

test('beyond its limit a token gets 429 with Retry-After; another token is unaffected', async () => {
  const [ann, bob] = [as('ann'), as('bob')]
  expect(await statusesOf(limit + 5, () => ann.get(list))).toEqual({ 200: limit, 429: 5 })
  const publish = await ann.get(list)
  expect([publish.status, publish.body.error]).toEqual([
    429,
    `429 Too Many Requests: a token may send ${limit} requests a minute`,
  ])
  const problem = await ann.get<object>('/1.0/jobs')
  expect([problem.status, problem.body]).toMatchObject([429, { type: 'urn:problem:tooManyRequests', status: 429 }])
  for (const { headers } of [publish, problem]) {
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(60)
  }
  expect((await bob.get(list)).status).toBe(200)
})

test('concurrent requests count like sequential ones', async () => {
  const eve = as('eve')
  const statuses = await Promise.all(Array.from({ length: limit * 2 }, async () => (await eve.get(list)).status))
  expect(statuses.filter((status) => status === 200).length).toBe(limit)
  expect(statuses.filter((status) => status === 429).length).toBe(limit)
})

test('refused requests count too, those without a valid token do not, and open paths are not limited', async () => {
  const cid = as('cid')
  expect(await statusesOf(limit + 1, () => cid.get('/1.0/manager/name/none'))).toEqual({ 403: limit, 429: 1 })
  expect(await statusesOf(limit * 2, () => createClient(service.apiUrl, 'wrong').get(list))).toEqual({ 401: limit * 2 })
  for (const path of ['/1.0/manager/status', '/livez', '/openapi.json'])
    expect(await statusesOf(limit * 2, () => fetch(service.apiUrl + path))).toEqual({ 200: limit * 2 })
})

test('the limit is shared by all API processes', async () => {
  const another = await service.startApi()
  const there = createClient(another.apiUrl, service.tokens.dan as string)
  expect(await statusesOf(limit / 2, () => as('dan').get(list))).toEqual({ 200: limit / 2 })
  expect(await statusesOf(limit / 2 + 1, () => there.get(list))).toEqual({ 200: limit / 2, 429: 1 })
  expect((await as('dan').get(list)).status).toBe(429)
})

describe('while Redis is unavailable', () => {
  beforeAll(() => redis.kill())

  test('while Redis is unavailable, each process counts on its own, without server errors', async () => {
    expect(await statusesOf(limit + 5, () => as('fay').get(list))).toEqual({ 200: limit, 429: 5 })
  })
})

test('a limit of 0 disables the limit', async () => {
  const { apiUrl, tokens: theirs, env } = inject('service')
  expect(env.RATE_LIMIT_PER_MINUTE).toBe('0')
  const { get } = createClient(apiUrl, theirs.reader as string)
  expect(await statusesOf(200, () => get('/1.0/jobs?limit=1'))).toEqual({ 200: 200 })
})
