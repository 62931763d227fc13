import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { allOrgs, noOrg } from '../../api/http/access.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { uniqueName } from '../../dev/requests.ts'
import { scopes } from '../../wire/whoami.ts'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'
import { ownService } from '../support/programs/own-service.ts'
import { audience, inSeconds, issuer, startIdentityProvider } from '../support/servers/identity-provider.ts'

const identity = await startIdentityProvider()
afterAll(identity.stop)
const { service, client } = await ownService({
  tokens: [
    ...scopes.map((scope) => ({ name: `no ${scope}`, orgs: ['*'], scopes: scopes.filter((other) => other !== scope) })),
    { name: 'stranger', orgs: ['elsewhere'], scopes: [...scopes] },
  ],
  env: { AUTH_JWKS_URL: identity.jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience },
})
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

const names = { fileName: 'file', id: 'no-such-job', name: uniqueName('model') }
const allScopes = { scope: scopes.join(' ') }
const signed = (claims: object, header?: { kid?: string }) => identity.sign({ ...allScopes, ...claims }, header)
const good = await signed({})

/** Invalid Authorization headers, by what is wrong with them. */
const nobody: Record<string, string | null> = {
  'no header': null,
  'an empty header': '',
  'a scheme alone': 'Bearer',
  'two tokens': `Bearer ${service.tokens.all} ${service.tokens.all}`,
  'another scheme': `Basic ${Buffer.from(`all:${service.tokens.all}`).toString('base64')}`,
  'a wrong token': 'Bearer wrong',
  'a token cut short': `Bearer ${service.tokens.all?.slice(0, -1)}`,
  'a digest': `Bearer ${'0'.repeat(64)}`,
  'a JWT that is expired': await signed({ exp: inSeconds(-10) }),
  'a JWT that is not valid yet': await signed({ nbf: inSeconds(3_600), exp: inSeconds(7_200) }),
  'a JWT of another issuer': await signed({ iss: 'https://other.example.org/' }),
  'a JWT for another audience': await signed({ aud: 'another-service' }),
  'a JWT that never expires': await signed({ exp: undefined }),
  'a JWT without orgs': await signed({ orgs: undefined }),
  'a JWT with a text for orgs': await signed({ orgs: '*' }),
  'a JWT without a subject': await signed({ sub: undefined }),
  'a JWT without scopes': await signed({ scope: undefined }),
  'a JWT of an unknown key': await signed({}, { kid: randomUUID() }),
  'a JWT that nobody signed': identity.unsigned(),
  'a JWT signed with the public key as a secret': await identity.forge(),
  'the same without a last line break': await identity.forge((pem) => pem.trim()),
  'a JWT with another signature': good.replace(/\.[^.]*$/, `.${(await identity.sign()).split('.')[2]}`),
  'a JWT without its signature': good.replace(/\.[^.]*$/, '.'),
}

async function statusOf(endpoint: Endpoint, authorization: string | null): Promise<number> {
  const { method, path, body } = requestTo(endpoint, { ...names, orgName: org })
  const headers = { 'Content-Type': 'application/json', ...(authorization === null ? {} : { authorization }) }
  const hasBody = body !== undefined && method !== 'GET'
  const response = await fetch(service.apiUrl + path, { method, headers, body: hasBody ? JSON.stringify(body) : null })
  await response.arrayBuffer()
  return response.status
}

/** Whether authorisation passed; the sample request itself may fail, as its ids do not exist. */
const isLetIn = (status: number) => ![401, 403, 500, 503].includes(status)

const closed = everyEndpoint.filter(([, { scope }]) => scope !== null)
const open = everyEndpoint.filter(([, { scope }]) => scope === null)

test.each(closed)('%s is 401 without a valid token', async (_name, endpoint) => {
  const statuses: Record<string, number> = {}
  for (const [name, header] of Object.entries(nobody)) statuses[name] = await statusOf(endpoint, header)
  expect(statuses).toEqual(Object.fromEntries(Object.keys(nobody).map((name) => [name, 401])))
})

const scoped = closed.filter(([, { scope }]) => scope !== 'any')

test.each(scoped)('%s is 403 without its scope, whatever the other scopes', async (_name, endpoint) => {
  const others = scopes.filter((scope) => scope !== endpoint.scope)
  const jwt = await signed({ scope: others })
  expect([
    await statusOf(endpoint, `Bearer ${service.tokens[`no ${endpoint.scope}`]}`),
    await statusOf(endpoint, `Bearer ${jwt}`),
    await statusOf(endpoint, `Bearer ${await signed({ scope: '' })}`),
  ]).toEqual([403, 403, 403])
})

test.each(scoped)('%s accepts its scope from a static token and a JWT, also bare', async (_name, endpoint) => {
  const own = await signed({ scope: [endpoint.scope, 'scope:of-another-service'] })
  for (const token of [service.tokens.all, good, own]) {
    for (const scheme of ['Bearer ', 'bearer  ', '']) {
      const status = await statusOf(endpoint, scheme + token)
      expect([scheme, status, isLetIn(status)]).toEqual([scheme, status, true])
    }
  }
})

test.each(closed.filter(([, { access }]) => access !== noOrg && access !== allOrgs))(
  "%s is 404 for another org's data",
  async (_, endpoint) => {
    const jwt = await signed({ orgs: ['elsewhere', `${org}x`, `${org}/below`] })
    expect([
      await statusOf(endpoint, `Bearer ${service.tokens.stranger}`),
      await statusOf(endpoint, `Bearer ${jwt}`),
      await statusOf(endpoint, `Bearer ${await signed({ orgs: [] })}`),
    ]).toEqual([404, 404, 404])
  },
)

test.each(open)('%s is open without a valid token, whatever the header', async (_name, endpoint) => {
  for (const header of Object.values(nobody)) expect(await statusOf(endpoint, header)).toBe(200)
})

test('exactly one endpoint is open, and exactly one takes any token', async () => {
  expect(open.map(([name]) => name)).toEqual(['GET /1.0/manager/status'])
  const any = closed.filter((one) => !scoped.includes(one))
  expect(any.map(([name]) => name)).toEqual(['GET /1.0/whoami'])
  const [[, endpoint]] = any as [(typeof any)[number]]
  const without = await signed({ scope: '' })
  expect([
    await statusOf(endpoint, `Bearer ${without}`),
    await statusOf(endpoint, service.tokens.all as string),
  ]).toEqual([200, 200])
})

test.each(['/livez', '/readyz', '/metrics', '/openapi.json', '/docs'])('%s needs no token', async (path) => {
  const answers = await Promise.all(
    [null, 'Bearer wrong'].map((token) => fetch(service.apiUrl + path, headersOf(token))),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})

const headersOf = (authorization: string | null) => ({ headers: authorization === null ? {} : { authorization } })
