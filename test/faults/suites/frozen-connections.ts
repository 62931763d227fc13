import { afterAll, expect, test } from 'vitest'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { ownService } from '../../support/programs/own-service.ts'

/** What frozen connections lose. */
export type Direction = 'requests' | 'answers' | 'requests and answers'

/** Registers tests that freeze the connections of running programs to Redis. New connections work. */
export async function frozenConnections(directions: readonly Direction[]) {
  const [first, second] = [await ownRedis((end) => afterAll(end)), await ownRedis((end) => afterAll(end))]
  const hostOf = ({ address }: typeof first) => new URL(address.url).host

  /** Connections that are frozen, and in which direction. New ones work. */
  const known = new Set<object>()
  const lost = { requests: new Set<object>(), answers: new Set<object>() }
  const ruleOf = (frozen: Set<object>) => (_chunk: Buffer, connection: object) => {
    known.add(connection)
    return frozen.has(connection) ? 'drop' : 'pass'
  }
  const rules = { fromClient: ruleOf(lost.requests), fromServer: ruleOf(lost.answers) }
  const proxy = await startTcpProxy(hostOf(first), rules)
  afterAll(() => proxy.close())
  const { service, client } = await ownService({ workers: 1, env: { REDIS_URL: `redis://${proxy.address}` } })
  const { org, fields } = await prepare(3, service)

  let published = 0
  /** Publishes until one is accepted and done. @returns how long that took, in milliseconds */
  async function untilPublished(limitMs: number): Promise<number> {
    const since = performance.now()
    const order = () => ({ ...fields, originIds: ['p1'], orgName: org, fileName: `f${published++}` })
    const publish = () => client.post<JobRecord>('/1.0/publish/', order(), { Prefer: 'wait=30' })
    await expect.poll(async () => (await publish()).status, { timeout: limitMs, interval: 500 }).toBe(200)
    return performance.now() - since
  }
  const readiness = async () => (await fetch(`${service.apiUrl}/readyz`)).text()

  test.each(directions)('connections that lose %s are made again', async (direction) => {
    await untilPublished(30_000)
    for (const connection of known) {
      if (direction !== 'answers') lost.requests.add(connection)
      if (direction !== 'requests') lost.answers.add(connection)
    }
    known.clear()
    // A job that a worker has just taken may have to wait for its lock to expire.
    expect(await untilPublished(40_000)).toBeLessThan(40_000)
    await expect.poll(readiness, { timeout: 10_000 }).toBe('ok\n')
  })

  return { first, second, proxy, hostOf, untilPublished, readiness }
}
