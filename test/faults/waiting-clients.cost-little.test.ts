import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'

const { service, client } = await ownService({ env: { MAX_QUEUED_JOBS: '100000' } })
const { org, fields } = await prepare(3, service)

/** A metric of the API process. */
async function metric(name: string): Promise<number> {
  const metrics = await (await fetch(`${service.apiUrl}/metrics`)).text()
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

const residentMiB = async () => (await metric('process_resident_memory_bytes')) / 2 ** 20

async function submit(fileName: string): Promise<string> {
  const request = { ...fields, originIds: ['p1'], orgName: org, fileName }
  const { headers } = await client.post('/1.0/publish/', request, { Prefer: 'respond-async' })
  return headers.get('Location') as string
}

/** Number of channels of each subscribed connection of the service. */
const subscriptionsOf = async (redis: Redis) =>
  String(await redis.client('LIST'))
    .split('\n')
    .filter((line) => line.includes(` db=${service.redisUrl.split('/').at(-1)} `) && !line.includes(' sub=0 '))
    .map((line) => / sub=(\d+)/.exec(line)?.[1])

test('a thousand waiting clients share one subscription, take below 50 MiB, and all get an answer', async () => {
  const redis = new Redis(service.redisUrl)
  const records = createJobRecords(redis)
  const locations = await Promise.all(Array.from({ length: 50 }, (_, index) => submit(`file${index}`)))
  // Warm-up, so that neither compilation nor initial heap growth is measured.
  for (let round = 0; round < 5; round++) await Promise.all(locations.map((each) => client.get(`${each}?wait=0`)))
  const before = await residentMiB()
  const waiting = Array.from({ length: 1_000 }, (_, index) =>
    client.get<JobRecord>(`${locations[index % locations.length]}?wait=55`),
  )
  const open = () => metric('nodejs_active_handles{type="Socket"}')
  await expect.poll(open, { timeout: 40_000, interval: 500 }).toBeGreaterThanOrEqual(1_000)
  expect(await subscriptionsOf(redis)).toEqual(['1'])
  const cost = (await residentMiB()) - before
  expect(before).toBeGreaterThan(50)
  expect(cost).toBeLessThan(50)
  for (const location of locations) await records.finish(location.split('/').at(-1) as string, 'failed', {})
  const answers = await Promise.all(waiting)
  expect(answers.filter(({ status, body }) => status !== 200 || body.state !== 'failed')).toEqual([])
  redis.disconnect()
}, 240_000)

test('clients waiting when the API is stopped get an answer at once, and it exits cleanly', async () => {
  const locations = await Promise.all([submit('stopped 1'), submit('stopped 2')])
  const request = { ...fields, originIds: ['p1'], orgName: org, fileName: 'stopped 3' }
  const post = client.post('/1.0/publish/', request)
  const waiting = locations.map((location) => client.get<JobRecord>(`${location}?wait=55`))
  const isThere = async () =>
    (await client.get<{ jobs: JobRecord[] }>(`/1.0/jobs?orgName=${org}&limit=10`)).body.jobs.some(
      ({ fileName }) => fileName === 'stopped 3',
    )
  await expect.poll(isThere, { timeout: 10_000 }).toBe(true)
  const start = performance.now()
  service.api.kill('SIGTERM')
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status, body }) => [status, body.state])).toEqual(Array(2).fill([200, 'queued']))
  expect((await post).status).toBe(202)
  expect(performance.now() - start).toBeLessThan(20_000)
  expect(await service.api.exited).toEqual({ code: 0, signal: null })
})
