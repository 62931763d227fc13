import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { until } from '../../support/faults/processes.ts'
import { type Misbehaviour, startS3Proxy } from '../../support/faults/s3-proxy.ts'
import { ownService } from '../../support/programs/own-service.ts'

const proxy = await startS3Proxy(inject('stack').s3.endpoint)
const env = { S3_ENDPOINT: proxy.url, ...overrides({ storeTimeoutSeconds: 3 }) }
const { service, client, keysBelow } = await ownService({ env, workers: 1 })
const { org, fields } = await prepare(3, service)
const request = (fileName: string) => ({ ...fields, originIds: ['p1'], orgName: org, fileName })
// Each request to the store is tried three times.
const limitMs = 45_000
const requestsLeft = async () => (await keysBelow('')).filter((key) => key.includes('/.jobs/'))

const faults: Record<string, Misbehaviour> = {
  hangs: 'hang',
  fails: { status: 500, code: 'InternalError' },
  'is busy': { status: 503, code: 'SlowDown' },
  refuses: { status: 403, code: 'AccessDenied' },
  'has lost its bucket': { status: 404, code: 'NoSuchBucket' },
}

test.each(Object.entries(faults))(
  'a store that %s makes every request a 503 in time, leaves no data, and works at once when it recovers',
  { timeout: 300_000 },
  async (name, fault) => {
    proxy.behave()
    const fileName = `file ${name}`
    expect((await client.post('/1.0/publish/', request(fileName))).status).toBe(200)
    const path = `/1.0/publish/${org}/${encodeURIComponent(fileName)}`
    // A job's request is deleted after success, and the answer does not wait for that.
    await until('no job has a request', async () => (await requestsLeft()).length === 0)
    const had = await keysBelow('')

    proxy.misbehave(() => fault)
    const started = performance.now()
    const answers = await Promise.all([
      client.post('/1.0/publish/', request('refused')),
      client.post('/1.0/publish/multi', [request('refused')], { Prefer: 'respond-async' }),
      client.post(`/1.0/publish/${org}/delete`, { ...request('refused'), index: fields.mappedIndices.DEFAULT_INDEX }),
      client.post(`/1.0/publish/${org}`),
      client.get(path),
      client.get(`${path}/url`),
      client.get(`/1.0/publish/${org}`),
      client.call('DELETE', path),
      client.get('/1.0/publish/status'),
    ])
    expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual(
      answers.map(() => [503, '5']),
    )
    expect(performance.now() - started).toBeLessThan(limitMs)
    await until('it is not ready', async () => (await fetch(`${service.apiUrl}/readyz`)).status === 503)

    proxy.behave()
    await until('it is ready', async () => (await fetch(`${service.apiUrl}/readyz`)).status === 200)
    expect(await keysBelow('')).toEqual(had)
    expect((await client.get(path)).status).toBe(200)
    expect((await client.post('/1.0/publish/', request(`${fileName} again`))).status).toBe(200)
  },
)
