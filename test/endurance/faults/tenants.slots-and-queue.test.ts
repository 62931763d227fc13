import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { overrides, type Service } from '../../../dev/service.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { until } from '../../support/faults/processes.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { openTenants } from '../../support/worlds/tenants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'

const { neo4j } = inject('stack')
// A run is handed over after six seconds, and a slice takes seconds on a busy machine.
const mostMs = 15_000
const respondAsync = { Prefer: 'respond-async' }

// Each holds its traffic after the first answers, so a publish that reads it holds its slot for minutes.
const slow = await Promise.all(Array.from({ length: 6 }, () => stuckOrigin(600)))
const driver = openDriver(neo4j)
const version = await drawVersion(driver, neo4j, 200)
await driver.close()

test('publishes from a slow origin give slots back to another org, and continue after it', {
  timeout: 240_000,
}, async () => {
  const tenants = await openTenants({
    origins: slow.map(({ address }) => address),
    env: overrides({ retrySeconds: 1 }),
  })
  const { attacker, attackerOrg, service, unharmedBy } = tenants
  const jobs: string[] = []
  await unharmedBy(
    async () => {
      for (const [at, origin] of slow.entries()) {
        const [request] = origin.requestsOf(version)
        const body = { ...request, orgName: attackerOrg, fileName: `slow${at}` }
        jobs.push((await attacker.post('/1.0/publish/', body, respondAsync)).headers.get('Location') as string)
      }
      const isRunning = async () => (await jobStates()).filter((state) => state === 'running').length >= 4
      await until('the attacker holds all slots', isRunning, 60_000)
      await until('a run is handed back', () => handedBackBy(service.workers).flat().length > 0, 60_000)
      await delay(3_000)
      // A job that has begun stays `running` when its run is handed back.
      expect((await jobStates()).filter((state) => state !== 'running' && state !== 'queued')).toEqual([])
    },
    { mostMs },
  )
  // A worker asks three times in a row, two seconds apart, before it hands back the next run.
  for (const times of handedBackBy(service.workers))
    for (const [at, time] of times.slice(1).entries()) expect(time - (times[at] as number)).toBeGreaterThan(3_500)
  // An origin that nobody has read yet will hold its traffic later.
  const releasing = setInterval(() => {
    for (const origin of slow) origin.letGo()
  }, 500)
  const ends = await Promise.all(jobs.map((job) => attacker.followJob(job, 120_000)))
  clearInterval(releasing)
  expect(ends.map(({ state }) => state)).toEqual(jobs.map(() => 'succeeded'))

  async function jobStates(): Promise<string[]> {
    return Promise.all(jobs.map(async (job) => (await attacker.get<JobRecord>(job)).body.state))
  }
})

/** When each worker handed runs back, in milliseconds. */
function handedBackBy(workers: Service['workers']): number[][] {
  return workers.map((worker) => {
    const lines = worker.log().split('\n')
    return lines.filter((line) => line.includes('"job handed back"')).map((line) => Number(JSON.parse(line).time))
  })
}

test('an org that fills the queue is refused, while another org publishes', { timeout: 120_000 }, async () => {
  const { attacker, attackerOrg, unharmedBy } = await openTenants({ env: { MAX_QUEUED_JOBS: '60' } })
  const statuses: number[] = []
  await unharmedBy(
    async () => {
      for (let at = 0; at < 40; at++) {
        const names = { orgName: attackerOrg, fileName: `many${at}` }
        const requests = Array.from({ length: 45 }, (_, index) => ({ ...version.requests[index % 20], ...names }))
        statuses.push((await attacker.post('/1.0/publish/multi', requests, respondAsync)).status)
      }
    },
    { mostMs },
  )
  expect(new Set(statuses)).toEqual(new Set([202, 429]))
})
