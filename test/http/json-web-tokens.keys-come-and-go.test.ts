import { randomUUID } from 'node:crypto'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { overrides } from '../../dev/service.ts'
import { ownService } from '../support/programs/own-service.ts'
import { audience, inSeconds, issuer, startIdentityProvider } from '../support/servers/identity-provider.ts'

/** A service that trusts an identity provider of its own. */
async function openService() {
  const identity = await startIdentityProvider()
  afterAll(identity.stop)
  const env = { AUTH_JWKS_URL: identity.jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience }
  const { service, client } = await ownService({ env })
  const asks = (token: string) => createClient(service.apiUrl, token).get('/1.0/publish/status')
  const statusFor = async (token: string) => (await asks(token)).status
  return { identity, service, client, asks, statusFor }
}

const { identity, service, client, statusFor } = await openService()
const unasked = await openService()

test('while the JWKS is unavailable a JWT is 503 and static tokens work; then it works without a restart', async () => {
  const { identity: provider, client: withStaticToken, asks, statusFor: statusOf } = unasked
  await provider.stop()
  const { status, headers, body } = await asks(await provider.sign())
  expect([status, headers.get('Retry-After'), body.error]).toEqual([
    503,
    '5',
    '503 Service Unavailable: token signing keys are unavailable; try again later',
  ])
  expect((await withStaticToken.get('/1.0/publish/status')).status).toBe(200)
  expect(await statusOf('neither')).toBe(401)
  await provider.start()
  expect(await statusOf(await provider.sign())).toBe(200)
})

test('five hundred unknown keys cost the provider at most two requests', async () => {
  const before = identity.asked()
  const tokens = await Promise.all(Array.from({ length: 500 }, () => identity.sign({}, { kid: randomUUID() })))
  const statuses = new Set<number>()
  for (let start = 0; start < tokens.length; start += 50) {
    for (const status of await Promise.all(tokens.slice(start, start + 50).map(statusFor))) statuses.add(status)
  }
  expect([...statuses]).toEqual([401])
  expect(identity.asked() - before).toBeLessThanOrEqual(2)
  expect(await statusFor(await identity.sign())).toBe(200)
})

test.each([
  ['JWT', 200],
  ['at+jwt', 200],
  ['AT+JWT', 200],
  ['application/at+jwt', 200],
  ['logout+jwt', 401],
  ['dpop+jwt', 401],
  ['secevent+jwt', 401],
  ['ID', 401],
])('a token of type %s is answered with %i', async (typ, status) => {
  expect(await statusFor(await identity.sign({}, { typ }))).toBe(status)
})

test('a JWT and a static token with the same name share no idempotency keys', async () => {
  const org = uniqueName('org')
  const request = { ...database(inject('stack').neo4j, 'Person', 'id'), originIds: ['1'], metadata: true, orgName: org }
  const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'one' }
  const signed = createClient(service.apiUrl, await identity.sign({ sub: 'all', scope: 'publish:read publish:write' }))
  await client.post(`/1.0/publish/${org}`)
  expect((await client.post('/1.0/publish/', { ...request, fileName: 'one' }, headers)).status).toBe(202)
  const same = await signed.post('/1.0/publish/', { ...request, fileName: 'one' }, headers)
  expect([same.status, same.headers.get('Idempotent-Replayed')]).toEqual([409, null])
  expect((await signed.post('/1.0/publish/', { ...request, fileName: 'two' }, headers)).status).toBe(202)
  const again = await signed.post('/1.0/publish/', { ...request, fileName: 'two' }, headers)
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([202, 'true'])
})

test('a token expires within seconds of its time', async () => {
  expect(await statusFor(await identity.sign({ exp: inSeconds(-6) }))).toBe(401)
  expect(await statusFor(await identity.sign({ nbf: inSeconds(30) }))).toBe(401)
  expect(await statusFor(await identity.sign({ exp: inSeconds(30), nbf: inSeconds(0) }))).toBe(200)
})

test('tokens of known keys outlive the provider; a new key is accepted soon after its rotation', async () => {
  const { apiUrl } = await service.startApi(overrides({ jwksCooldownSeconds: 5 }))
  const statusFor = async (token: string) => (await createClient(apiUrl, token).get('/1.0/publish/status')).status
  const old = await identity.sign()
  expect(await statusFor(old)).toBe(200)
  await identity.stop()
  expect(await statusFor(old)).toBe(200)
  await identity.rotate()
  await identity.start()
  const rotated = await identity.sign()
  expect(await statusFor(rotated)).toBe(401)
  await vi.waitFor(async () => expect(await statusFor(rotated)).toBe(200), { timeout: 60_000, interval: 500 })
  expect(await statusFor(old)).toBe(401)
})
