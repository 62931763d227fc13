import type { Example } from './example.ts'
import { database } from './requests.ts'
import type { Service } from './service.ts'
import type { Stack } from './stack/stack.ts'

/** Addresses, credentials and pids for clients and tools. Contract 12. */
export function describe({ redis, s3, neo4j, target }: Stack, service: Service) {
  const { pid: neo4jPid, ...database } = neo4j
  const { pid: s3Pid, ...store } = s3
  return {
    apiUrl: service.apiUrl,
    token: service.tokens.all,
    redisUrl: service.redisUrl,
    s3: { ...store, bucket: service.bucket },
    neo4j: database,
    ...(target && { target: { boltUrl: target.boltUrl, username: target.username, password: target.password } }),
    pids: {
      api: [service.api.pid],
      worker: service.workers.map(({ pid }) => pid),
      redis: redis.pid,
      s3: s3Pid,
      neo4j: neo4jPid,
      ...(target && { target: target.pid }),
    },
  }
}

const quoted = (text: string) => (/^[\w:/.,@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Assignments for a shell. */
export const assignments = (variables: Record<string, string>, separator: string): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(separator)

/** The variables of the section "A client's first ten minutes" of the README. */
export const curlVariables = ({ neo4j }: Stack, { apiUrl, tokens }: Service) => ({
  URL: apiUrl,
  TOKEN: tokens.all as string,
  ORIGIN: neo4j.boltUrl,
  CREDENTIALS: database(neo4j, '', '').credentials,
})

/** The variables of the client `packets`, and `TARGET` of the page "Your own graph". */
export const clientVariables = ({ neo4j, target }: Stack, { apiUrl, tokens }: Service) => ({
  PACKETS_URL: apiUrl,
  PACKETS_TOKEN: tokens.all as string,
  PACKETS_ORIGIN_URL: neo4j.boltUrl,
  PACKETS_ORIGIN_USER: neo4j.username,
  PACKETS_ORIGIN_PASSWORD: neo4j.password,
  ...(target && { TARGET: target.boltUrl, PACKETS_TARGET_PASSWORD: target.password }),
})

/** A publish that works when pasted into a shell. */
export function curl({ neo4j }: Stack, { apiUrl, tokens }: Service, example: Example): string {
  const { label, idProperty, ids, relationships } = example
  const body = {
    ...database(neo4j, label, idProperty),
    originIds: ids,
    metadata: true,
    ...(relationships.length > 0 ? { relationships } : {}),
    orgName: 'demo',
    fileName: 'first.json',
  }
  const headers = `-H 'Authorization: Bearer ${tokens.all}' -H 'Content-Type: application/json'`
  return `curl -sS ${headers} -d ${quoted(JSON.stringify(body))} ${apiUrl}/1.0/publish/`
}
