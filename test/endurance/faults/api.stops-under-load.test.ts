import { expect, inject, test } from 'vitest'
import { until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const stuck = await stuckOrigin(3_000)

test('an API that is stopping answers waiting clients with a 202 naming their job, and the jobs continue', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({
    workers: 1,
    origins: [stuck.address],
    answersMayFail: true,
    times: lastingLocks,
  })
  const { client, service, org } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const fileNames = ['a', 'b', 'c', 'd', 'e']
  const waiting = fileNames.map((fileName) => {
    world.reader.watch(fileName, { version, batchSize: 5_000 })
    const body = stuck.requestsOf(version).map((request) => ({ ...request, orgName: org, fileName }))
    return client.post('/1.0/publish/multi', body, { Prefer: 'wait=55' })
  })
  const accepted = async () => (await client.get<{ jobs: unknown[] }>(`/1.0/jobs?orgName=${org}`)).body.jobs.length
  await until('all are accepted', async () => (await accepted()) === fileNames.length && stuck.isHolding())

  const toldAt = performance.now()
  service.api.kill('SIGTERM')
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status)).toEqual(fileNames.map(() => 202))
  expect(await service.api.exited).toEqual({ code: 0, signal: null })
  expect(performance.now() - toldAt).toBeLessThan(30_000)

  world.useApi((await service.startApi()).apiUrl)
  stuck.letGo()
  for (const [index, { headers }] of answers.entries()) {
    const location = headers.get('Location') as string
    const id = location.slice(location.lastIndexOf('/') + 1)
    const job = world.follow({ id, fileName: fileNames[index] as string, version, location })
    expect(await job.done).toMatchObject({ state: 'succeeded', attempt: 1, fileName: fileNames[index] })
  }
  await mustHold(world)
})
