import type { Neo4jAddress, Provider, RedisAddress, S3Address, TargetAddress } from './addresses.ts'
import { askHttp, askNeo4j, askRedis } from './ready.ts'

/** Servers given by environment variables. Throws, naming the variable, if one is missing or a server is unusable. */
export const given: Provider = {
  redis: givenRedis,
  s3: givenS3,
  neo4j: () => givenNeo4j('NEO4J'),
  target: givenTarget,
  legacy: () => givenNeo4j('NEO4J_LEGACY'),
}

/** Whether the environment names this database, so that this program has not started it. */
export const isGiven = (database: 'NEO4J' | 'NEO4J_TARGET'): boolean => Boolean(process.env[`${database}_URL`])

async function givenRedis(): Promise<RedisAddress | undefined> {
  const url = process.env.REDIS_URL
  if (!url) return undefined
  await mustAnswer('REDIS_URL', () => askRedis(url))
  return { url, pid: null }
}

async function givenS3(): Promise<S3Address | undefined> {
  const endpoint = process.env.S3_ENDPOINT
  if (!endpoint) return undefined
  const accessKey = required('S3_ACCESS_KEY', 'S3_ENDPOINT')
  const secretKey = required('S3_SECRET_KEY', 'S3_ENDPOINT')
  await mustAnswer('S3_ENDPOINT', () => askHttp(endpoint))
  return { endpoint, region: process.env.S3_REGION || 'us-east-1', accessKey, secretKey, pid: null }
}

async function givenNeo4j(prefix: 'NEO4J' | 'NEO4J_TARGET' | 'NEO4J_LEGACY'): Promise<Neo4jAddress | undefined> {
  const boltUrl = process.env[`${prefix}_URL`]
  if (!boltUrl) return undefined
  const username = required(`${prefix}_USER`, `${prefix}_URL`)
  const password = required(`${prefix}_PASSWORD`, `${prefix}_URL`)
  const address = { boltUrl, username, password, pid: null }
  await mustAnswer(`${prefix}_URL`, () => askNeo4j(address))
  return address
}

async function givenTarget(): Promise<TargetAddress | undefined> {
  const address = await givenNeo4j('NEO4J_TARGET')
  if (!address) return undefined
  const httpUrl = required('NEO4J_TARGET_HTTP_URL', 'NEO4J_TARGET_URL')
  await mustAnswer('NEO4J_TARGET_HTTP_URL', () => askHttp(httpUrl))
  return { ...address, httpUrl }
}

function required(name: string, because: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${because} is set, so ${name} must be set too`)
  return value
}

async function mustAnswer(name: string, ask: () => Promise<unknown>): Promise<void> {
  await ask().catch((cause) => {
    throw new Error(`${name} is set, but the server does not answer as expected: ${cause.message}`)
  })
}
