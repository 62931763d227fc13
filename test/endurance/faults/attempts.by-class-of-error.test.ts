import { expect, inject, test } from 'vitest'
import { breakingOrigin } from '../../support/faults/breaking-origin.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { listenOn } from '../../support/origins/hostile-origins.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const { neo4j } = inject('stack')
const closedOrigin = '127.0.0.1:1'

const breaking = await breakingOrigin()
const foreign = await listenOn('127.0.0.1', (socket) => void socket.once('data', () => socket.end(Buffer.alloc(4))))
const foreignOrigin = `127.0.0.1:${foreign.port}`

test('refused credentials and versions of Bolt fail at once, an interrupted read is retried, a closed port fails after all attempts', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({
    workers: 1,
    times: lastingLocks,
    origins: [breaking.address, closedOrigin, foreignOrigin],
  })
  const version = await drawVersion(world.origin, neo4j, 30)
  const publish = (fileName: string, change: object) =>
    world.publish({ version, fileName, requests: version.requests.map((request) => ({ ...request, ...change })) })
  const credentials = `Basic ${Buffer.from('nobody:nothing').toString('base64')}`
  const jobs = await Promise.all([
    publish('refused', { credentials }),
    publish('foreign', { dbUrl: `bolt://${foreignOrigin}` }),
    publish('broken', { dbUrl: `bolt://${breaking.address}` }),
    publish('closed', { dbUrl: `bolt://${closedOrigin}` }),
  ])
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.attempt, end?.error?.status, end?.error?.code])).toEqual([
    ['failed', 1, 502, 'originRefusedCredentials'],
    ['failed', 1, 422, 'noCommonBolt'],
    ['succeeded', 2, undefined, undefined],
    ['failed', 3, 502, 'originUnreachable'],
  ])
  await mustHold(world)
})
