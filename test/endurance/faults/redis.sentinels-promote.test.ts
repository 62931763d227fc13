import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { overrides } from '../../../dev/service.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { type Failover, failoversOf } from '../../support/faults/failovers.ts'
import { until } from '../../support/faults/processes.ts'
import { sentinelGroup } from '../../support/faults/sentinel-group.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { ownService } from '../../support/programs/own-service.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Job {
  state: string
  error: { code: string } | null
}

const group = await sentinelGroup((end) => afterAll(end))
const { service, keysBelow } = await ownService({
  workers: 2,
  env: { REDIS_URL: group.url, WORKER_LOCK_SECONDS: '3', ...overrides({ janitorSeconds: 5 }) },
})
// Each request on its own connection: a kept one may end just when it is used.
const client = createClient(service.apiUrl, service.tokens.all as string, { Connection: 'close' })
const { fields, org } = await prepare(20, service)

/** Submits publishes until told to stop. @returns the jobs that were accepted, and what was refused */
function startLoad(name: string) {
  const accepted = new Map<string, string>()
  const refused: string[] = []
  let isOver = false
  async function submitAll(lane: number): Promise<void> {
    for (let at = 0; !isOver; at++) {
      const fileName = `${name}-${lane}-${at}`
      const body = { ...fields, originIds: ['p1', 'p2', 'p3'], orgName: org, fileName }
      const answer = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' }).catch(() => null)
      const location = answer?.headers.get('Location')
      if (answer?.status === 202 && location) accepted.set(fileName, location)
      else refused.push(String(answer?.status ?? 'no answer'))
      await delay(20)
    }
  }
  const lanes = Promise.all([1, 2, 3].map(submitAll))
  return {
    accepted,
    async stop() {
      isOver = true
      await lanes
      return { accepted, refused }
    },
  }
}

/** Lets a failover happen under load, and checks what became of every job that was accepted. */
async function survive([name, begin, end]: Failover): Promise<void> {
  const load = startLoad(`${name.replaceAll(' ', '-')}-${Date.now()}`)
  await until('jobs are accepted', () => load.accepted.size > 30)
  const before = await group.primary()
  await begin(before)
  await group.promoted(before)
  await delay(3_000)
  end(before)
  if (name !== 'is killed') {
    const size = load.accepted.size
    await until('jobs are accepted again', () => load.accepted.size > size + 30)
  }
  const { accepted, refused } = await load.stop()
  const states = new Map<string, string>()
  await until(
    'every accepted job has ended',
    async () => {
      for (const [fileName, location] of accepted) {
        if (states.get(fileName) === 'succeeded') continue
        const { status, body } = await client.get<Job>(location)
        states.set(
          fileName,
          status === 200 ? `${body.state}${body.error ? ` ${body.error.code}` : ''}` : String(status),
        )
      }
      return [...states.values()].every((state) => !/^(queued|running|committing|503)/.test(state))
    },
    180_000,
  )
  expect([...states].filter(([, state]) => state !== 'succeeded')).toEqual([])
  // What is reported as a success is in the store.
  const keys = (await keysBelow('')).join('\n')
  expect([...accepted.keys()].filter((fileName) => !keys.includes(`${org}/${fileName}`))).toEqual([])
  expect(new Set(refused)).toEqual(new Set(refused.filter((status) => status === '503' || status === '504')))
  console.log(`${name}: ${accepted.size} jobs accepted, ${refused.length} submissions refused`)
}

test.each(failoversOf(group))(
  'no accepted job is lost or runs for ever while the primary %s under load',
  (...failover) => survive(failover),
)

test('without a replica publishes, also repeated ones, and pauses are refused, because a failover would lose them; reads are answered', async () => {
  // The member that was replaced last still fetches what it missed: until then nothing is accepted.
  await group.settled()
  const once = { Prefer: 'respond-async', 'Idempotency-Key': 'sent-twice' }
  const sentTwice = { ...fields, originIds: ['p1'], orgName: org, fileName: 'sent-twice' }
  expect((await client.post('/1.0/publish/', sentTwice, once)).status).toBe(202)
  const primary = await group.primary()
  const redis = group.client(primary)
  await redis.config('SET', 'min-replicas-to-write', '0')
  const replicas = group.members.filter((member) => member !== primary)
  for (const replica of replicas) replica.freeze()
  const body = { ...fields, originIds: ['p1'], orgName: org, fileName: 'not-replicated' }
  const { status, body: answer } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  expect([status, answer.error]).toEqual([503, expect.stringContaining('503')])
  expect((await client.post('/1.0/publish/', sentTwice, once)).status).toBe(503)
  const begun = performance.now()
  const pausing = client.post('/1.0/ops/pause')
  // By then the API waits for the replicas.
  await delay(500)
  const read = await client.get('/1.0/jobs?limit=1')
  const readMs = performance.now() - begun - 500
  const paused = await pausing
  expect([paused.status, read.status]).toEqual([503, 200])
  expect(performance.now() - begun).toBeLessThan(5_000)
  expect(readMs).toBeLessThan(1_000)
  // Now Redis itself refuses all writes, of workers too.
  await redis.config('SET', 'min-replicas-to-write', '1')
  await delay(5_000)
  for (const replica of replicas) replica.wake()
  await until('the queue is resumed', async () => (await client.post('/1.0/ops/resume')).status === 200)
  redis.disconnect()
})

test('the logs hold neither password of a Sentinel URL, and no flood of refusals', async () => {
  const logs = service.logs()
  const refusals = logs.split('\n').filter((line) => line.includes('NOREPLICAS') && line.includes('"msg":"queue"'))
  expect([refusals.length > 0, refusals.length < 2_000]).toEqual([true, true])
  expect(logs).not.toMatch(/(redis|sentinel)-canary/)
})

test('the doctor reads a Redis behind Sentinels', async () => {
  const { lines } = await runDoctor({ REDIS_URL: group.url })
  expect(lines.filter((line) => line.includes('redis version'))).toEqual([expect.stringMatching(/^ok /)])
  const { host } = new URL(inject('stack').redis.url)
  const { lines: wrong } = await runDoctor({ REDIS_URL: `redis+sentinel://${host}/nothing` })
  expect(wrong.filter((line) => line.startsWith('fail  redis:')).length).toBe(1)
})
