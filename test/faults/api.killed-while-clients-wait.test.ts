import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { until } from '../support/faults/processes.ts'
import { lastingLocks } from '../support/faults/short-times.ts'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'
import { mustHold } from '../support/worlds/invariants.ts'
import { drawVersion } from '../support/worlds/versions.ts'
import { openWorld } from '../support/worlds/world.ts'

const { neo4j } = inject('stack')
const proxy = await startTcpProxy(new URL(neo4j.boltUrl).host)
afterAll(() => proxy.close())

test('an API killed while clients wait loses no job: another API answers for it', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ workers: 1, origins: [proxy.address], answersMayFail: true, times: lastingLocks })
  const { client, service, org } = world
  const version = await drawVersion(world.origin, neo4j, 20)
  const requests = version.requests.map((request) => ({ ...request, dbUrl: `bolt://${proxy.address}` }))
  const followed = await world.publish({ version, fileName: 'followed', requests })
  expect((await followed.done)?.state).toBe('succeeded')
  proxy.hold()
  world.reader.watch('waited', { version, batchSize: 5_000 })
  const body = requests.map((request) => ({ ...request, orgName: org, fileName: 'waited' }))
  const wait = (to: typeof client) => to.post('/1.0/publish/multi', body, { 'Idempotency-Key': 'again' })
  const waiting = wait(client).then(
    ({ status }) => status,
    () => 'no answer',
  )
  const running = async () => (await client.get<{ jobs: JobRecord[] }>('/1.0/jobs?state=running')).body.jobs
  await until('the job runs', async () => (await running()).length === 1)
  const [job] = await running()
  service.api.kill('SIGKILL')
  expect(await waiting).toBe('no answer')

  const { apiUrl } = await service.startApi()
  world.useApi(apiUrl)
  const other = createClient(apiUrl, service.tokens.all as string)
  const answered = wait(other)
  proxy.letGo()
  const answer = await answered
  expect([answer.status, answer.headers.get('Location'), answer.headers.get('Idempotent-Replayed')]).toEqual([
    200,
    `/1.0/jobs/${job?.id}`,
    'true',
  ])
  expect((await other.get<JobRecord>(`/1.0/jobs/${job?.id}`)).body).toMatchObject({ state: 'succeeded', attempt: 1 })
  world.follow({ id: job?.id as string, fileName: 'waited', version, location: `/1.0/jobs/${job?.id}` })
  await mustHold(world)
})
