import { afterAll, expect, inject, test } from 'vitest'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const { neo4j } = inject('stack')
const env = { ORIGIN_SILENCE_SECONDS: '3' }

// Stops forwarding for good in the middle of the rows and accepts no other connection, like a lost machine.
const lost = await stuckOrigin(20_000)

// Goes silent once, on the connection that reads relationships; only they have this key.
let silent: object | null = null
const once = await startTcpProxy(new URL(neo4j.boltUrl).host, {
  fromServer(chunk, connection) {
    silent ??= chunk.includes('since') ? connection : null
    return silent === connection ? 'drop' : 'pass'
  },
})
afterAll(() => once.close())

test('an origin that falls silent fails its job long before the time limit, or the next attempt succeeds', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld({ workers: 2, origins: [lost.address, once.address], env })
  const version = await drawVersion(world.origin, neo4j, 150)
  const requests = version.requests.map((request) => ({ ...request, dbUrl: `bolt://${once.address}` }))
  const gone = await world.publish({ version, fileName: 'gone', requests: lost.requestsOf(version) })
  const back = await world.publish({ version, fileName: 'back', requests })
  const ends = await Promise.all([gone.done, back.done])
  expect(lost.isHolding()).toBe(true)
  expect(silent).not.toBeNull()
  expect(ends.map((end) => [end?.state, end?.error?.status])).toEqual([
    ['failed', 502],
    ['succeeded', undefined],
  ])
  expect(ends[0]?.error?.message).toMatch(
    /^(the origin database could not be reached|the connection to the origin database ended while it was read)$/,
  )
  lost.letGo()
  await mustHold(world)
})
