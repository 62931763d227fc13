import { expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { overrides } from '../../../dev/service.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { breakingOrigin } from '../../support/faults/breaking-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const { neo4j } = inject('stack')
const minutes = 60_000
const preload = import.meta.resolve('../../support/faults/shifted-clock.ts')
const clock = (shiftMs: number) => ({ NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) })

const breaking = await breakingOrigin()

test('clocks ten minutes apart delay, lose or duplicate no job; URLs and idempotency keys stay valid everywhere', {
  timeout: 240_000,
}, async () => {
  const env = { ...clock(10 * minutes), ...overrides({ janitorSeconds: 1 }) }
  const world = await openWorld({ env, origins: [breaking.address] })
  const { service, client, org } = world
  const [behind] = await Promise.all([service.startApi(clock(-10 * minutes)), service.startApi(clock(0))])
  const later = createClient(behind.apiUrl, service.tokens.all as string)
  const version = await drawVersion(world.origin, neo4j, 210)
  const small = { version, batchSize: 30 }

  const submit = (to: typeof client, headers: Record<string, string>) =>
    to.post(
      '/1.0/publish/multi?batchsize=30',
      version.requests.map((request) => ({ ...request, orgName: org, fileName: 'keyed' })),
      { Prefer: 'respond-async', 'Idempotency-Key': 'key', ...headers },
    )
  world.reader.watch('keyed', { version, batchSize: 30 })
  const [first, again] = [await submit(client, {}), await submit(later, {})]
  const location = first.headers.get('Location') as string
  expect([first.status, again.status, again.headers.get('Location')]).toEqual([202, 202, location])
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  world.follow({ id: location.split('/').at(-1) as string, fileName: 'keyed', version, location })

  const jobs = await Promise.all([1, 2, 3].map((at) => world.publish({ ...small, fileName: `file${at}` })))
  const broken = await world.publish({
    ...small,
    fileName: 'broken',
    requests: version.requests.map((request) => ({ ...request, dbUrl: `bolt://${breaking.address}` })),
  })
  // One worker dies mid-job and others run; neither janitor mistakes a new job for an abandoned one.
  const deadly = {
    ...clock(-10 * minutes),
    ...overrides({ failpoint: 'beforeManifest:kill' }),
    WORKER_CONCURRENCY: '1',
  }
  const dead = await service.startWorker(deadly)
  expect((await dead.exited).signal).toBe('SIGKILL')
  const workers = await Promise.all([
    service.startWorker({ ...clock(10 * minutes), ...overrides({ janitorSeconds: 1 }) }),
    service.startWorker({ ...clock(-10 * minutes), ...overrides({ janitorSeconds: 1 }) }),
  ])
  for (const { done } of [...jobs, broken]) expect((await done)?.state).toBe('succeeded')
  expect(breaking.hasBroken()).toBe(true)
  for (const worker of workers) expect(worker.log()).not.toContain('added again')

  // A URL expires by the clock of the API that signed it: here up to ten minutes earlier or later than it states.
  for (const each of [client, later]) {
    const { fileLocation, fileLocations } = (await each.get(`/1.0/publish/${org}/file1/url?lifetime=3600`)).body
    for (const url of fileLocations ?? [fileLocation]) expect((await fetch(String(url))).status).toBe(200)
    const listed = (await each.get<{ jobs: JobRecord[] }>(`/1.0/jobs?orgName=${org}&limit=10`)).body.jobs
    expect(listed.map(({ fileName }) => fileName).sort()).toEqual(['broken', 'file1', 'file2', 'file3', 'keyed'])
  }
  await mustHold(world)
})
