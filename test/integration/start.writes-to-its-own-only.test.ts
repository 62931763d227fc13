import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import { npm } from '../support/programs/npm.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const { redis, s3, neo4j } = inject('stack')
const { database, release } = await ownDatabase(redis.url)
afterAll(release)
const driver = openDriver(neo4j)
const label = uniqueName('Mine')
afterAll(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DELETE n`)
  await driver.close()
})

test('npm start writes nothing to a database that the environment names and that has nodes', async () => {
  await run(driver, `CREATE (:Airport:\`${label}\` {iata: 'SEA', note: 'keep me'})`)
  const [airports, constraints] = [
    "MATCH (n:Airport {iata: 'JFK'}) RETURN count(n)",
    'SHOW CONSTRAINTS YIELD name WHERE name = "airport_iata" RETURN name',
  ]
  const before = await run(driver, airports)
  const redisUrl = `${redis.url.replace(/\/\d*$/, '')}/${database}`
  const bucket = uniqueName('start')
  await using start = npm(['start', '--', '--workers', '1'], {
    REDIS_URL: redisUrl,
    ORIGIN_ALLOW: 'db.example',
    S3_BUCKET: bucket,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
    NEO4J_URL: neo4j.boltUrl,
    NEO4J_USER: neo4j.username,
    NEO4J_PASSWORD: neo4j.password,
  })
  await start.line('Ctrl-C', 100_000)
  expect(await start.line('origin:')).toBe(
    `${neo4j.boltUrl}: not empty, so nothing was written to it; --load-sample adds the sample and the models`,
  )
  expect(await start.line('models:')).toBe('none; MANAGER_DB_URL names a database for them')
  expect(await start.line('packets:')).toContain(`PACKETS_ORIGIN_URL=${neo4j.boltUrl} PACKETS_ORIGIN_USER=neo4j`)
  const settings = readFileSync(join(import.meta.dirname, '../../.local/stack.env'), 'utf8').split('\n')
  expect(settings).toEqual(
    expect.arrayContaining([
      ...[`REDIS_URL=${redisUrl}`, `S3_BUCKET=${bucket}`],
      `ORIGIN_ALLOW=${new URL(neo4j.boltUrl).host},db.example`,
    ]),
  )
  start.interrupt()
  await start.exitCode
  expect(await run(driver, `MATCH (n:\`${label}\`) RETURN n.note`)).toEqual([['keep me']])
  expect(await run(driver, airports)).toEqual(before)
  expect(await run(driver, constraints)).toEqual([])
}, 120_000)
