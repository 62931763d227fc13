import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { claimRedis } from '../../dev/claim-redis.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { TargetAddress } from '../../dev/stack/stack.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const { redis, s3, neo4j, target } = inject('stack')
const server = redis.url.replace(/\/\d*$/, '')
const label = uniqueName('Precious')
const driver = openDriver(neo4j)
afterAll(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DELETE n`)
  await driver.close()
})

/** Runs the demo with the servers of the tests and this database of Redis, and waits until it refuses. */
async function refused(database: number): Promise<{ code: unknown; stderr: string }> {
  await run(driver, `MERGE (:Airport:\`${label}\`)`)
  const { boltUrl, username, password, httpUrl } = target as TargetAddress
  const env = {
    PATH: process.env.PATH,
    REDIS_URL: `${server}/${database}`,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
    NEO4J_URL: neo4j.boltUrl,
    NEO4J_USER: neo4j.username,
    NEO4J_PASSWORD: neo4j.password,
    NEO4J_TARGET_URL: boltUrl,
    NEO4J_TARGET_USER: username,
    NEO4J_TARGET_PASSWORD: password,
    NEO4J_TARGET_HTTP_URL: httpUrl,
  } as NodeJS.ProcessEnv
  const cwd = join(import.meta.dirname, '../..')
  return new Promise((resolve) => {
    execFile(process.execPath, ['dev/demo.ts'], { cwd, env }, (error, _stdout, text) =>
      resolve({ code: error?.code ?? 0, stderr: text }),
    )
  })
}

test('the demo does not empty a database that the environment names and that has nodes, airports or others', async () => {
  const { database, release } = await ownDatabase(redis.url)
  onTestFinished(release)
  const { code, stderr } = await refused(database)
  expect(await run(driver, `MATCH (n:\`${label}\`) RETURN count(n)`)).toEqual([[1n]])
  const reason =
    'NEO4J_URL names a database that is not empty: name another, or empty both with `npm run demo -- --empty-databases`'
  expect({ code, stderr }).toEqual({ code: 1, stderr: `the demo failed: ${reason}\n` })
}, 60_000)

test('the demo shares no queue: it refuses a database of REDIS_URL that is in use, and writes nothing to it', async () => {
  const { database, release } = await ownDatabase(redis.url)
  onTestFinished(release)
  const inUse = new Redis(`${server}/${database}`)
  onTestFinished(() => inUse.disconnect())
  await inUse.set('precious', '1')
  const { code, stderr } = await refused(database)
  expect(await inUse.keys('*')).toEqual(['precious'])
  const reason = `REDIS_URL names a Redis database that is not empty: name another one, as in ${server}/<number>`
  expect({ code, stderr }).toEqual({ code: 1, stderr: `the demo failed: ${reason}\n` })
}, 60_000)

test('at its end the demo removes its own keys from a database of Redis that was empty, and no others', async () => {
  const { database, release } = await ownDatabase(redis.url)
  onTestFinished(release)
  const other = new Redis(`${server}/${database}`)
  onTestFinished(() => other.disconnect())
  {
    await using _claim = await claimRedis(`${server}/${database}`)
    await other.mset('packets:job:x', '1', 'of another program', '1')
  }
  expect(await other.keys('*')).toEqual(['of another program'])
})
