import { afterAll, expect, inject, test } from 'vitest'
import { mustHold } from './support/invariants.ts'
import { stuckOrigin } from './support/stuck-origin.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'
import { drawVersion } from './support/versions.ts'
import { openWorld } from './support/world.ts'

const { neo4j } = inject('stack')
const env = { ORIGIN_SILENCE_SECONDS: '3' }

// Falls silent for good in the middle of the rows, and takes no other connection: half open, as a lost machine is.
const lost = await stuckOrigin(20_000)

// Falls silent once, on the connection that reads relationships: those alone have this key.
let silent: object | null = null
const once = await startTcpProxy(new URL(neo4j.boltUrl).host, {
  fromServer(chunk, connection) {
    silent ??= chunk.includes('since') ? connection : null
    return silent === connection ? 'drop' : 'pass'
  },
})
afterAll(() => once.close())

test('an origin that falls silent ends its job long before its time, or the next attempt finds it again', {
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
  expect(ends[0]?.error?.message).toMatch(/^the origin database (could not be reached|broke off while it was read)$/)
  lost.letGo()
  await mustHold(world)
})
