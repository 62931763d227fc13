import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [older, newer] = [keyOf('older'), keyOf('newer')]
const keys = {
  before: { SECRET_KEYS: older },
  rotated: { SECRET_KEYS: `${newer},${older}` },
  after: { SECRET_KEYS: newer },
}

test('queued jobs run as long as their key is kept; without it they fail at once with a clear instruction', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks, env: keys.before })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const kept = await world.publish({ version, fileName: 'kept' })
  const worker = await world.service.startWorker(keys.rotated)
  expect((await kept.done)?.state).toBe('succeeded')
  await worker.stop(10_000)

  const dropped = await world.publish({ version, fileName: 'dropped' })
  await world.service.startWorker(keys.after)
  expect(await dropped.done).toMatchObject({
    state: 'failed',
    attempt: 1,
    error: {
      status: 500,
      code: 'secretsGone',
      message: 'the credentials of this publish are no longer kept; submit it again',
    },
  })
  world.useApi((await world.service.startApi(keys.after)).apiUrl)
  const again = await world.publish({ version, fileName: 'dropped' })
  expect((await again.done)?.state).toBe('succeeded')
  await mustHold(world)
})

test('an Idempotency-Key is recognized across a rotation, and not treated as new work once its secret key is gone', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ env: keys.before })
  const { service, org } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 10)
  const body = (fileName: string) => version.requests.map((request) => ({ ...request, orgName: org, fileName }))
  const submit = async (apiUrl: string, fileName: string, key: string) => {
    const headers = { 'Idempotency-Key': key, Prefer: 'respond-async' }
    const client = createClient(apiUrl, service.tokens.all as string)
    const answer = await client.post('/1.0/publish/multi', body(fileName), headers)
    return [answer.status, answer.headers.get('Location'), answer.headers.get('Idempotent-Replayed')]
  }
  const [rotated, after] = await Promise.all([service.startApi(keys.rotated), service.startApi(keys.after)])

  const [accepted, location, replayed] = await submit(service.apiUrl, 'first', 'one')
  expect([accepted, replayed]).toEqual([202, null])
  expect(await submit(rotated.apiUrl, 'first', 'one')).toEqual([202, location, 'true'])
  expect((await submit(rotated.apiUrl, 'other', 'one'))[0]).toBe(422)
  expect((await submit(after.apiUrl, 'first', 'one'))[0]).toBe(422)
  const [second, secondLocation] = await submit(rotated.apiUrl, 'second', 'two')
  expect(second).toBe(202)
  expect(await submit(after.apiUrl, 'second', 'two')).toEqual([202, secondLocation, 'true'])
})
