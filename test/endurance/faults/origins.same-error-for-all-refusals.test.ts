import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { filteredPort, listenOn } from '../../support/origins/hostile-origins.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { ownDatabase } from '../../support/servers/own-database.ts'

// Each is allowed, and none is a readable database.
const origins: Record<string, { dbUrl: string; connections?: () => number }> = {
  'a closed port': { dbUrl: 'bolt://127.0.0.1:1' },
  'a port that nothing answers at': { dbUrl: `bolt://127.0.0.1:${await filteredPort()}` },
  'a closed port, with TLS': { dbUrl: 'bolt+s://127.0.0.1:1' },
}
const serving = {
  'a server that hangs up': await listenOn('127.0.0.1', (socket) => socket.destroy()),
  'a server that resets': await listenOn('127.0.0.1', (socket) => socket.resetAndDestroy()),
  'a server that says nothing': await listenOn('127.0.0.1', (socket) => socket.resume()),
  'a server that speaks HTTP': await listenOn('127.0.0.1', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'a server of zeros': await listenOn('127.0.0.1', (socket) => socket.write(Buffer.alloc(5))),
  'a server of a version that is none': await listenOn('127.0.0.1', (socket) =>
    socket.write(Buffer.from([0, 0, 0, 99])),
  ),
}
for (const [what, { port, connections }] of Object.entries(serving)) {
  origins[what] = { dbUrl: `bolt://127.0.0.1:${port}`, connections }
  origins[`${what}, asked for TLS`] = { dbUrl: `bolt+s://127.0.0.1:${port}`, connections }
}
const selfSigned = await listenOn('127.0.0.1', undefined, true)
origins['a certificate that nobody vouches for'] = { dbUrl: `bolt+s://127.0.0.1:${selfSigned.port}` }
origins['TLS where none was asked for'] = { dbUrl: `bolt://127.0.0.1:${selfSigned.port}` }
origins['a database without TLS'] = { dbUrl: `bolt+s://${new URL(inject('stack').neo4j.boltUrl).host}` }

const hosts = Object.values(origins).map(({ dbUrl }) => dbUrl.replace(/^.*:\/\//, ''))
const { database: redisDatabase, release } = await ownDatabase(inject('stack').redis.url)
afterAll(release)
const { service, client } = await ownService({
  redisDatabase,
  origins: hosts,
  workers: 1,
  env: { ORIGIN_SILENCE_SECONDS: '5' },
})
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

const fields = { ...database(inject('stack').neo4j, 'Person', 'id'), originIds: ['1'], metadata: true }
const told = 'the origin database could not be reached'

// Concurrent, because most of the time is spent waiting for silent origins.
describe.concurrent.each(Object.entries(origins))('%s', (what, { dbUrl }) => {
  test('the origin gets the same error as any other unreachable origin, in time', { timeout: 200_000 }, async () => {
    const began = performance.now()
    const { status, body } = await client.post('/1.0/publish/', { ...fields, dbUrl, returnOnly: true })
    expect([what, status, body.error]).toEqual([what, 502, `502 Bad Gateway: ${told}`])
    expect(performance.now() - began).toBeLessThan(45_000)
  })
})

test.concurrent('a job fails with the same error', { timeout: 300_000 }, async () => {
  const api = createClient(service.apiUrl, service.tokens.all as string)
  const some = ['a closed port', 'a port that nothing answers at', 'a certificate that nobody vouches for']
  const ends = await Promise.all(
    some.map(async (what, index) => {
      const request = { ...fields, dbUrl: origins[what]?.dbUrl, orgName: org, fileName: `job${index}` }
      const { headers } = await api.post('/1.0/publish/', request, { Prefer: 'respond-async' })
      return api.followJob(headers.get('Location') as string, 250_000)
    }),
  )
  expect(ends.map(({ state, error }) => [state, error])).toEqual(
    some.map(() => ['failed', { status: 502, code: 'originUnreachable', message: told }]),
  )
})

test('a list of jobs reveals no more than that', async () => {
  const { text } = await client.get(`/1.0/jobs?orgName=${org}`)
  expect(text).toContain(told)
  expect(text).not.toMatch(/ECONN|127\.0\.0\.1|certificate|Neo4jError/)
})
