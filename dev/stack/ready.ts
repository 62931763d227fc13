import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Driver } from 'neo4j-driver'
import neo4j from 'neo4j-driver'
import { extendBolt } from '../../packet/packstream/extend-bolt.ts'
import type { Neo4jAddress } from './addresses.ts'
import type { RunningProcess } from './processes.ts'
import { describeExit } from './processes.ts'

const POLL_MS = 100
const ANSWER_MS = 20_000

type Server = Pick<RunningProcess, 'name' | 'exited' | 'tail'>

/** Repeats `probe` until it succeeds. Throws, with the end of the log, once the server exits or after `limitMs`. */
export async function untilReady(server: Server, probe: () => Promise<unknown>, limitMs = 180_000): Promise<void> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const attempt = probe().then(
      () => 'ready',
      (error) => String(error),
    )
    const outcome = await Promise.race([attempt, server.exited])
    if (outcome === 'ready') return
    if (typeof outcome === 'object') throw failure(server, `stopped while starting, ${describeExit(outcome)}`)
    if (Date.now() > deadline) throw failure(server, `is not ready after ${limitMs / 1000} s (${outcome})`)
    await sleep(POLL_MS)
  }
}

function failure(server: Server, what: string): Error {
  return new Error(`${server.name} ${what}. Its log ends:\n${server.tail()}`)
}

export async function askRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2000,
    commandTimeout: 2000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}

/** Any HTTP response counts, as an S3 server refuses unsigned requests. */
export async function askHttp(endpoint: string): Promise<void> {
  await fetch(endpoint, { signal: AbortSignal.timeout(2000) })
}

export async function askNeo4j(address: Neo4jAddress): Promise<void> {
  await withDriver(address, async (driver) => {
    const session = driver.session()
    await session.run('RETURN 1').finally(() => session.close())
  })
}

export async function withDriver<Result>(
  { boltUrl, username, password }: Omit<Neo4jAddress, 'pid'>,
  use: (driver: Driver) => Promise<Result>,
): Promise<Result> {
  const driver = neo4j.driver(boltUrl, neo4j.auth.basic(username, password), {
    connectionTimeout: 2000,
    connectionAcquisitionTimeout: 5000,
  })
  extendBolt(driver)
  try {
    return await Promise.race([use(driver), tooLong()])
  } finally {
    await driver.close()
  }
}

// The driver waits forever for a server that accepts a connection and never responds.
async function tooLong(): Promise<never> {
  await sleep(ANSWER_MS, undefined, { ref: false })
  throw new Error(`no answer within ${ANSWER_MS / 1000} s`)
}
