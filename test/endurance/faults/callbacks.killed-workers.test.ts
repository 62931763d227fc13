import type { ServerResponse } from 'node:http'
import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { callbackDue } from '../../../shared/jobs/create-job.ts'
import { createCallbacks } from '../../../shared/queue/callbacks.ts'
import { attempted, callbackOf, endedJob, orgName } from '../../support/jobs/ended-jobs.ts'
import { callbackSettings, newSecret, noContent, soon, startReceiver } from '../../support/servers/receiver.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const receiver = await startReceiver()
const env = callbackSettings([receiver], newSecret())

test('if a worker is killed before it calls back, or before it records that, another calls back with the same id', {
  timeout: 120_000,
}, async () => {
  const world = await openWorld({ env, times: { WORKER_LOCK_SECONDS: '1' } })
  const steps = ['beforeCallback', 'callbackSent']
  const workers = await Promise.all(
    steps.map((step) => world.service.startWorker(overrides({ failpoint: `${step}:kill` }))),
  )
  const callbacks = createCallbacks(world.redis)
  const id = await endedJob(world, receiver.url)
  await callbacks.add({ id, orgName })
  // Whichever takes it first, the other takes it when the first has lost its lock.
  const exits = await Promise.all(workers.map(({ exited }) => exited))
  expect([exits.map(({ signal }) => signal), receiver.received.length]).toEqual([['SIGKILL', 'SIGKILL'], 1])
  expect(await callbackOf(world, id)).toEqual(callbackDue)
  await world.service.startWorker()
  await expect
    .poll(() => callbackOf(world, id), soon)
    .toEqual(attempted(receiver.address, { state: 'delivered', attempts: 1, lastStatus: 204 }))
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(`${id}.succeeded`))
  await callbacks.close()
})

test('thousands of callbacks that nobody answers keep no publish waiting', { timeout: 120_000 }, async () => {
  const world = await openWorld({ env, workers: 1 })
  const held: ServerResponse[] = []
  receiver.answerWith((response) => void held.push(response))
  const callbacks = createCallbacks(world.redis)
  for (let batch = 0; batch < 30; batch++) {
    await Promise.all(
      Array.from({ length: 100 }, async () =>
        callbacks.add({ id: await endedJob(world, `https://${receiver.address}/`), orgName }),
      ),
    )
  }
  await expect.poll(() => held.length, soon).toBeGreaterThan(0)
  const version = await drawVersion(world.origin, inject('stack').neo4j, 5)
  const jobs = await Promise.all(['a', 'b', 'c', 'd'].map((fileName) => world.publish({ version, fileName })))
  expect((await Promise.all(jobs.map(({ done }) => done))).map((job) => job?.state)).toEqual(Array(4).fill('succeeded'))
  expect(await world.redis.zcard('packets:callbacks')).toBe(3_000)
  await callbacks.close()
  receiver.answerWith(noContent)
  for (const response of held) noContent(response)
})
