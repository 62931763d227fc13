import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import { Client } from 'minio'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { drawRing } from '../support/graphs/social-graph.ts'

const { neo4j, s3 } = inject('stack')
const { apiUrl, tokens, redisUrl, bucket, directory } = inject('service')
const client = createClient(apiUrl, tokens.all as string)

/** Every key and value of Redis, of any type, including streams and sorted sets. */
async function everythingInRedis(): Promise<string> {
  const redis = new Redis(redisUrl)
  const texts: string[] = []
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[])
      texts.push(key, ((await redis.dumpBuffer(key)) ?? Buffer.alloc(0)).toString('latin1'))
    for (const key of keys as string[]) {
      const type = await redis.type(key)
      if (type === 'stream') texts.push(JSON.stringify(await redis.xrange(key, '-', '+')))
      if (type === 'hash') texts.push(JSON.stringify(await redis.hgetall(key)))
    }
  }
  redis.disconnect()
  return texts.join('\n')
}

async function everythingInTheStore(org: string): Promise<string> {
  const { hostname, port } = new URL(s3.endpoint)
  const store = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    region: s3.region,
    accessKey: s3.accessKey,
    secretKey: s3.secretKey,
  })
  const texts: string[] = []
  for await (const { name } of store.listObjectsV2(bucket, `${org}/`, true)) {
    // An object may disappear during the scan, such as the request of a finished job.
    const object = await store.getObject(bucket, name as string).catch((error) => {
      if (error.code !== 'NoSuchKey') throw error
      return null
    })
    texts.push(name as string, object === null ? '' : await text(object))
  }
  return texts.join('\n')
}

test('a password is not in Redis, the store, the logs or any answer, during the job and after it', async () => {
  const driver = openDriver(neo4j)
  const [user, password] = [uniqueName('user'), uniqueName('canary-password-')]
  await run(driver, `CREATE USER \`${user}\` SET PASSWORD '${password}' CHANGE NOT REQUIRED`)
  const label = uniqueName('Person')
  const ids = await drawRing(driver, label, 10)
  const org = uniqueName('org')
  await client.post(`/1.0/publish/${org}`)
  const request = {
    ...database({ ...neo4j, username: user, password }, label, 'id'),
    originIds: ids,
    metadata: true,
    orgName: org,
  }
  const answers = [
    await client.post('/1.0/publish/', { ...request, fileName: 'good' }),
    await client.post('/1.0/publish/', { ...request, fileName: 'bad', dbUrl: 'bolt://127.0.0.1:9' }),
    await client.post('/1.0/publish/', {
      ...request,
      fileName: 'wrong',
      credentials: `Basic ${btoa(`nobody:${password}`)}`,
    }),
    await client.post('/1.0/publish/', { ...request, fileName: 'later' }, { Prefer: 'respond-async' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 502, 202])
  const places = [...answers.map((answer) => answer.text), await everythingInRedis(), await everythingInTheStore(org)]
  await client.followJob(answers[3]?.headers.get('Location') as string)
  places.push(await everythingInRedis(), await everythingInTheStore(org))
  const logs = readdirSync(directory).filter((name) => name.endsWith('.log'))
  places.push(...logs.map((name) => readFileSync(join(directory, name), 'utf8')))
  expect(logs.length).toBeGreaterThan(2)
  const encoded = Buffer.from(`${user}:${password}`).toString('base64')
  for (const canary of [password, encoded, tokens.all as string, 'X-Amz-Signature=']) {
    // Only answers may contain signed URLs.
    const searched = canary.startsWith('X-Amz') ? places.slice(answers.length) : places
    expect(searched.map((place) => place.includes(canary))).toEqual(searched.map(() => false))
  }
  await run(driver, `DROP USER \`${user}\``)
  await driver.close()
})
