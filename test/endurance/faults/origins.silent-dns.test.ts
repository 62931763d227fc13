import { expect, inject, test } from 'vitest'
import { database, uniqueName } from '../../../dev/requests.ts'
import { overrides } from '../../../dev/service.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { nameServer } from '../../support/servers/name-server.ts'

const { service, client } = await ownService({
  origins: ['*.silent.example'],
  env: { ORIGIN_DNS_SERVERS: await nameServer({}), ...overrides({ returnOnlyAtOnce: 100 }) },
})
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)
const { neo4j } = inject('stack')
const fields = { ...database(neo4j, 'Person', 'id'), originIds: ['1'], metadata: true }

test('publishes to hosts whose DNS is silent fail with a clear error and do not delay other requests', async () => {
  const named = Array.from({ length: 60 }, (_, index) => ({ ...fields, dbUrl: `bolt://db${index}.silent.example` }))
  const asked = named.map((request, index) =>
    index % 2 === 0
      ? client.post('/1.0/publish/', { ...request, returnOnly: true })
      : client.post('/1.0/publish/', { ...request, orgName: org, fileName: `file${index}` }),
  )
  let isOver = false
  const answers = Promise.all(asked).finally(() => {
    isOver = true
  })
  const listings: number[] = []
  while (!isOver) {
    const began = performance.now()
    expect((await client.get(`/1.0/publish/${org}`)).status).toBe(200)
    listings.push(performance.now() - began)
  }
  const told = '502 Bad Gateway: the origin database could not be reached'
  expect((await answers).map(({ body }) => body.error)).toEqual(named.map(() => told))
  // Threads that wait for name servers delay every listing, until these give up; a pause of the machine delays one.
  expect(listings.length).toBeGreaterThan(3)
  expect(listings.toSorted((a, b) => a - b).at(-2)).toBeLessThan(3_000)
})

test('an origin named by address or localhost needs no name server', async () => {
  const { port } = new URL(neo4j.boltUrl)
  const [api, token] = [await service.startApi({ ORIGIN_ALLOW: `localhost:${port}` }), service.tokens.all]
  const answer = await fetch(`${api.apiUrl}/1.0/publish/`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...fields, dbUrl: `bolt://localhost:${port}`, returnOnly: true }),
  })
  expect(await answer.text()).not.toContain('could not be reached')
})
