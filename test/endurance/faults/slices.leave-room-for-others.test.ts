import { expect, inject, test } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { subRequestsPerSlice } from '../../../shared/jobs/job.ts'
import { until, untilFrozen } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

test('small publishes of another org wait for at most two slices of a large multi', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ workers: 1, times: lastingLocks, env: { WORKER_CONCURRENCY: '1' } })
  const { client, service } = world
  const worker = service.workers[0] as RunningProcess
  const [large, small] = await Promise.all(
    [2_000, 10].map((people) => drawVersion(world.origin, inject('stack').neo4j, people)),
  )
  if (!large || !small) throw new Error('not drawn')
  const job = await world.publish({ version: large, fileName: 'large', batchSize: 5_000 })
  await job.seen(({ progress }) => progress.subRequestsDone > 0)
  const other = uniqueName('other')
  await client.post(`/1.0/publish/${other}`)

  /** Submits while the worker is frozen. @returns how many slices of the large multi it builds until the job ends. */
  async function slicesUntilFinished(path: string, body: object): Promise<number> {
    worker.kill('SIGSTOP')
    await untilFrozen(worker)
    const from = worker.log().length
    const { headers } = await client.post(path, body, { Prefer: 'respond-async' })
    worker.kill('SIGCONT')
    const { id, state } = await client.followJob(headers.get('Location') as string)
    expect(state).toBe('succeeded')
    const isEnd = (line: string) => line.includes(id) && line.includes('"job finished"')
    const lines = () => worker.log().slice(from).split('\n')
    await until('its end is logged', () => lines().some(isEnd))
    const before = lines().slice(0, lines().findIndex(isEnd))
    return before.filter((line) => line.includes(job.id) && line.includes('"slice built"')).length
  }

  for (const fileName of ['one', 'two', 'three']) {
    const request = { ...small.requests[0], orgName: other, fileName }
    expect(await slicesUntilFinished('/1.0/publish/', request)).toBeLessThanOrEqual(2)
  }
  // A multi of two slices does not wait for the rest of the ten slices either.
  const requests = Array.from({ length: subRequestsPerSlice + 1 }, () => {
    return { ...small.requests[0], orgName: other, fileName: 'multi' }
  })
  expect(await slicesUntilFinished('/1.0/publish/multi', requests)).toBeLessThanOrEqual(4)
  expect((await job.done)?.state).toBe('succeeded')
})
