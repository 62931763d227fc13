import { afterAll, expect, inject, test } from 'vitest'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'
import { databaseOfFile, ownService } from '../support/programs/own-service.ts'

const redisDatabase = await databaseOfFile()
const proxy = await startTcpProxy(new URL(inject('stack').redis.url).host)
afterAll(() => proxy.close())
const { service } = await ownService({
  redisDatabase,
  tokens: [{ name: 'ops', orgs: ['*'], scopes: ['ops:read'] }],
  env: { QUEUE_PAGE: 'on', REDIS_URL: `redis://${proxy.address}/${redisDatabase}` },
})
const authorization = `Basic ${btoa(`anyone:${service.tokens.ops}`)}`

test('an error behind the page is answered like any other error', async () => {
  const told = async (path: string) => {
    const response = await fetch(service.apiUrl + path, { headers: { authorization } })
    const { type } = (await response.json()) as { type?: string }
    return [response.status, type]
  }
  expect(await told('/queues/api/queues?activeQueue=%25')).toEqual([400, 'urn:problem:malformedUrl'])
  proxy.refuse(true)
  await expect.poll(() => told('/queues/api/queues'), { timeout: 30_000 }).toEqual([503, 'urn:problem:queueAway'])
})
