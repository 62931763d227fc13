import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { TargetAddress } from '../../dev/stack/stack.ts'

const { redis, s3, neo4j, target } = inject('stack')
const label = uniqueName('Precious')
const driver = openDriver(neo4j)
afterAll(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DELETE n`)
  await driver.close()
})

test('the demo does not empty a database that the environment names and that has nodes, airports or others', async () => {
  await run(driver, `CREATE (:Airport:\`${label}\`)`)
  const { boltUrl, username, password, httpUrl } = target as TargetAddress
  const env = {
    ...{ PATH: process.env.PATH, REDIS_URL: redis.url },
    ...{ S3_ENDPOINT: s3.endpoint, S3_ACCESS_KEY: s3.accessKey, S3_SECRET_KEY: s3.secretKey },
    ...{ NEO4J_URL: neo4j.boltUrl, NEO4J_USER: neo4j.username, NEO4J_PASSWORD: neo4j.password },
    ...{ NEO4J_TARGET_URL: boltUrl, NEO4J_TARGET_USER: username, NEO4J_TARGET_PASSWORD: password },
    NEO4J_TARGET_HTTP_URL: httpUrl,
  } as NodeJS.ProcessEnv
  const cwd = join(import.meta.dirname, '../..')
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, ['dev/demo.ts'], { cwd, env }, (error, _stdout, text) =>
      resolve({ code: error?.code ?? 0, stderr: text }),
    )
  })
  expect(await run(driver, `MATCH (n:\`${label}\`) RETURN count(n)`)).toEqual([[1n]])
  const reason =
    'NEO4J_URL names a database that is not empty: name another, or empty both with `npm run demo -- --empty-databases`'
  expect({ code, stderr }).toEqual({ code: 1, stderr: `the demo failed: ${reason}\n` })
}, 60_000)
