import { expect, test } from 'vitest'
import { promotableReplicas, type SentinelView } from '../../../shared/redis/promotable.ts'

type Fields = Record<string, string>

/** A replica that a Sentinel knows well. Its port is its name. */
const replica = (port: string, fields: Fields = {}): Fields => ({
  ip: '10.0.0.1',
  port,
  runid: `id-of-${port}`,
  flags: 'slave',
  ...fields,
})
const unreachable = { flags: 'slave,disconnected' }
const downFor = (ms: number) => ({ flags: 's_down,slave,disconnected', 's-down-time': String(ms) })
const neverReached = { runid: '' }

const view = (replicas: Fields[], primary: Fields = {}): SentinelView => ({
  primary: { runid: 'abc', flags: 'master', ...primary },
  replicas,
})

/** What the primary says about itself and the replicas that are connected to it. */
function info(connected: string[] = [], state = 'state=online,offset=700,lag=1'): string {
  const lines = connected.map((port, at) => `slave${at}:ip=10.0.0.1,port=${port},${state}`)
  return ['# Server', 'run_id:abc', '# Replication', 'role:master', ...lines, ''].join('\r\n')
}

/** The number wanted if all three Sentinels say the same. */
const ofAll = (replicas: Fields[], primary?: Fields, about = info()) =>
  promotableReplicas([view(replicas, primary), view(replicas, primary), view(replicas, primary)], 3, about)

test('a replica counts while no Sentinel reaches it, as when it is being promoted, until it is down for ten seconds', () => {
  expect(ofAll([replica('1'), replica('2')])).toBe(2)
  expect(ofAll([replica('1', unreachable), replica('2')])).toBe(2)
  expect(ofAll([replica('1', downFor(9_999)), replica('2')])).toBe(2)
  expect(ofAll([replica('1', downFor(10_000)), replica('2')])).toBe(1)
  expect(ofAll([replica('1', downFor(10_000)), replica('2', unreachable), replica('3')])).toBe(2)
})

test('a replica counts while one Sentinel sees it, and while each replica is seen by another one', () => {
  const [here, there] = [
    [replica('1'), replica('2', downFor(60_000))],
    [replica('1', downFor(60_000)), replica('2')],
  ]
  expect(promotableReplicas([view(here), view(there), view(there)], 3, info())).toBe(2)
})

test('a replica that is down counts without an answer of the majority of the Sentinels, and during a failover', () => {
  const replicas = [replica('1', downFor(60_000)), replica('2')]
  expect(promotableReplicas([view(replicas)], 3, info())).toBe(2)
  expect(promotableReplicas([view(replicas), view(replicas)], 3, info())).toBe(1)
  expect(promotableReplicas([view(replicas), view(replicas)], 4, info())).toBe(2)
  expect(ofAll(replicas, { flags: 'master,failover_in_progress,force_failover' })).toBe(2)
})

test('a primary that died is missed at once by Sentinels that have promoted another one, because they never reached it since', () => {
  expect(ofAll([replica('1', { ...neverReached, ...unreachable }), replica('2')])).toBe(1)
  expect(ofAll([replica('1', { ...neverReached, ...downFor(1) }), replica('2')])).toBe(1)
  // Connected, and about to answer.
  expect(ofAll([replica('1', neverReached), replica('2')])).toBe(2)
})

test('only Sentinels count that consider this Redis the primary', () => {
  const other = { runid: 'def' }
  const gone = { ...neverReached, ...unreachable }
  const replaced = view([replica('1', gone), replica('3', gone)], other)
  const current = view([replica('1'), replica('2')])
  expect(promotableReplicas([replaced, replaced, replaced], 3, info(['1']))).toBeNull()
  expect(promotableReplicas([replaced, replaced, current], 3, info(['1']))).toBe(2)
  expect(promotableReplicas([], 3, info())).toBeNull()
  // A Sentinel that has not asked its primary yet.
  expect(ofAll([], { runid: '' })).toBeNull()
})

test('a replica that confirms changes counts although the Sentinels consider it gone or do not know it', () => {
  const replicas = [replica('1', downFor(60_000)), replica('2')]
  expect(ofAll(replicas, {}, info(['1', '2']))).toBe(2)
  expect(ofAll([replica('1'), replica('2')], {}, info(['1', '2', '3']))).toBe(3)
  // One that is silent, one that never confirms, and one that is not up to date yet.
  expect(ofAll(replicas, {}, info(['1', '2'], 'state=online,offset=700,lag=10'))).toBe(1)
  expect(ofAll(replicas, {}, info(['1', '2'], 'state=online,offset=0,lag=1'))).toBe(1)
  expect(ofAll(replicas, {}, info(['1', '2'], 'state=send_bulk,offset=700,lag=0'))).toBe(1)
  // The primary knows host names that the Sentinels have resolved.
  expect(ofAll(replicas, {}, info(['1', '2']).replaceAll('10.0.0.1', 'redis.example'))).toBe(1)
})
