import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { prepare } from '../support/clients/e2e.ts'
import { databaseOfFile, ownService } from '../support/programs/own-service.ts'

/** A proxy between the service and Redis that can be cut. */
async function cuttableRedis(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `redis://127.0.0.1:${address.port}/${redisDatabase}`,
    cut() {
      isCut = true
      end()
    },
    mend() {
      isCut = false
    },
    close() {
      end()
      server.close()
    },
  }
}

const redisDatabase = await databaseOfFile()
const redis = await cuttableRedis(inject('stack').redis.url)
afterAll(() => redis.close())
const { service, client } = await ownService({ redisDatabase, env: { REDIS_URL: redis.url } })
const { org, fields } = await prepare(3, service)
const request = (fileName: string) => ({ ...fields, originIds: ['p1'], orgName: org, fileName })
const submitted = await client.post('/1.0/publish/', request('before'), { Prefer: 'respond-async' })
const location = submitted.headers.get('Location') as string

const readiness = async () => (await fetch(`${service.apiUrl}/readyz`)).status

describe('while Redis is unavailable', () => {
  beforeAll(async () => {
    redis.cut()
    await vi.waitFor(async () => expect(await readiness()).toBe(503), { timeout: 20_000 })
  })

  test.each([
    ['GET', '/1.0/jobs'],
    ['GET', location],
    ['GET', `${location}?wait=5`],
    ['GET', `${location}/result`],
    ['POST', `${location}/cancel`],
  ])('while Redis is unavailable, %s %s is a 503 problem with Retry-After', async (method, path) => {
    const { status, headers, body } = await client.call(method, path)
    expect([status, headers.get('Retry-After'), headers.get('Content-Type')]).toEqual([
      503,
      '5',
      'application/problem+json; charset=utf-8',
    ])
    expect(body).toEqual({
      type: 'urn:problem:queueAway',
      title: 'Service Unavailable',
      status: 503,
      detail: 'the job queue does not answer; try again later',
    })
  })

  test.each([
    ['a publish', '/1.0/publish/', () => request('away'), {}],
    ['a publish with a key', '/1.0/publish/', () => request('away'), { 'Idempotency-Key': 'away' }],
    ['a publish that would not wait', '/1.0/publish/', () => request('away'), { Prefer: 'respond-async' }],
    ['a multi', '/1.0/publish/multi', () => [request('away')], {}],
  ])('while Redis is unavailable, %s is a 503 response object with Retry-After', async (_what, path, body, more) => {
    const answer = await client.post(path, body(), more)
    expect([answer.status, answer.headers.get('Retry-After'), answer.body]).toEqual([
      503,
      '5',
      {
        transactionRequest: null,
        transactionRequests: null,
        fileLocation: null,
        fileLocations: null,
        fileNames: null,
        error: '503 Service Unavailable: the job queue does not answer; try again later',
        usePrefixes: null,
      },
    ])
  })

  test('while Redis is away, operations that need no queue work: files are listed, a packet is returned', async () => {
    expect((await client.get(`/1.0/publish/${org}`)).status).toBe(200)
    const returned = await client.post('/1.0/publish/', { ...request('x'), returnOnly: true })
    expect([returned.status, returned.body.error]).toEqual([200, null])
    expect((await client.get('/1.0/publish/status')).status).toBe(503)
  })
})

test('after Redis recovers, nothing is lost and failed requests can be repeated', async () => {
  redis.mend()
  await expect.poll(readiness, { timeout: 20_000 }).toBe(200)
  expect((await client.get<JobRecord>(location)).body.state).toBe('queued')
  const worker = await service.startWorker()
  const answers = await Promise.all([
    client.get<JobRecord>(`${location}?wait=55`),
    client.post<JobRecord>('/1.0/publish/', request('away'), { 'Idempotency-Key': 'away' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers[0]?.body.state).toBe('succeeded')
  expect(answers[1]?.headers.get('Idempotent-Replayed')).toBeNull()
  await worker.stop(10_000)
})
