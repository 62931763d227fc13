import { afterAll, expect, inject, test } from 'vitest'
import { lastingLocks } from '../support/faults/short-times.ts'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'
import { mustHold } from '../support/worlds/invariants.ts'
import { drawVersion } from '../support/worlds/versions.ts'
import { openWorld } from '../support/worlds/world.ts'

const stack = inject('stack')

/** What happens to the first request for a packet's manifest or part, by packet name. */
const lost = ['arrived', 'notArrived', 'arrivedAndUnreadable', 'part'] as const
type Lost = (typeof lost)[number]

/** Which fault applies to the request that begins in this chunk. */
function lostBy(chunk: Buffer): { what: Lost; method: string } | null {
  const [, method = '', hidden, name] =
    /^(PUT|GET) \/[^/]+\/[^/]+\/\.(generations|parts)\/([^/]+)\//.exec(chunk.toString('latin1', 0, 500)) ?? []
  const what = lost.find((one) => one === name)
  return what && (hidden === 'parts') === (what === 'part') ? { what, method } : null
}

const cuts = new Map<Lost, number>()
const awaited = new WeakSet<object>()
const times: Record<Lost, number> = { arrived: 1, notArrived: 1, part: 1, arrivedAndUnreadable: 4 }

const proxy = await startTcpProxy(new URL(stack.s3.endpoint).host, {
  fromClient(chunk, connection) {
    const found = lostBy(chunk)
    if (!found || (found.method === 'GET' && found.what !== 'arrivedAndUnreadable')) return 'pass'
    const cut = cuts.get(found.what) ?? 0
    if (cut >= times[found.what]) return 'pass'
    cuts.set(found.what, cut + 1)
    if (found.what === 'notArrived' || found.method === 'GET') return 'cut'
    awaited.add(connection)
    return 'pass'
  },
  fromServer: (_chunk, connection) => (awaited.delete(connection) ? 'cut' : 'pass'),
})
afterAll(() => proxy.close())

test('a commit whose answer is lost is detected if it arrived, retried if not, and creates one generation', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  await world.service.startWorker({ S3_ENDPOINT: `http://${proxy.address}` })
  const version = await drawVersion(world.origin, stack.neo4j, 20)
  const jobs = await Promise.all(lost.map((fileName) => world.publish({ version, fileName })))
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(Object.fromEntries(cuts)).toEqual(times)
  expect(ends.map((end) => [end?.fileName, end?.state, end?.attempt])).toEqual([
    ['arrived', 'succeeded', 1],
    ['notArrived', 'succeeded', 2],
    ['arrivedAndUnreadable', 'succeeded', 1],
    ['part', 'succeeded', 1],
  ])
  await mustHold(world)
})
