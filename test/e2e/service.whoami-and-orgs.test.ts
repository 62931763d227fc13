import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { scopes } from '../../wire/whoami.ts'
import { ownService } from '../support/programs/own-service.ts'
import { audience, inSeconds, issuer, startIdentityProvider } from '../support/servers/identity-provider.ts'

const identity = await startIdentityProvider()
afterAll(identity.stop)
const read = ['publish:read']
const tokens = [
  { name: 'few', orgs: ['beta/sub', 'missing', 'alpha', 'alpha/x'], scopes: read },
  { name: 'none', orgs: [], scopes: read },
  { name: 'searcher', orgs: ['alpha'], scopes: ['search:read'] },
]
const { service, client, as, store } = await ownService({
  tokens,
  env: { AUTH_JWKS_URL: identity.jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience },
})

describe('whoami', () => {
  test('whoami says what a static token allows, and that it never expires', async () => {
    expect((await client.get('/1.0/whoami')).body).toEqual({
      name: 'all',
      orgs: ['*'],
      scopes: [...scopes],
      expiresAt: null,
    })
    const { status, body, headers } = await as('searcher').get('/1.0/whoami')
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({ name: 'searcher', orgs: ['alpha'], scopes: ['search:read'], expiresAt: null })
  })

  test('whoami says what a JSON web token allows, and when it expires', async () => {
    const exp = inSeconds(600)
    const claims = { sub: 'kim', orgs: ['alpha', '/'], scope: 'publish:read of:another', exp }
    const { body } = await createClient(service.apiUrl, await identity.sign(claims)).get('/1.0/whoami')
    const expiresAt = new Date(exp * 1_000).toISOString()
    expect(body).toEqual({ name: 'kim', orgs: ['alpha'], scopes: read, expiresAt })
    const late = await createClient(service.apiUrl, await identity.sign({ ...claims, exp: 1e18 })).get('/1.0/whoami')
    expect(late.body).toMatchObject({ expiresAt: '+275760-09-13T00:00:00.000Z' })
  })
})

describe('orgs', () => {
  interface Orgs {
    orgs: string[]
    next: string | null
  }
  const orgsOf = async (query = '', caller = client) => (await caller.get<Orgs>(`/1.0/orgs${query}`)).body
  const created = ['alpha', 'alpha/x', 'Beta', 'beta/sub', 'beta/other', 'b-', 'b', 'zeta']
  const topLevel = ['Beta', 'alpha', 'b-', 'b', 'beta', 'zeta']

  test('the orgs that a token of all orgs sees are the first segments of all that exist', async () => {
    expect(await orgsOf()).toEqual({ orgs: [], next: null })
    for (const org of created) await client.post(`/1.0/publish/${encodeURIComponent(org)}`)
    // Others may put objects at the top, and below names that no org can have.
    for (const key of ['file', 'status/f', '.hidden/f', 'with space/f', 'alpha/z'])
      await store.put(key, Buffer.from('{}'))
    expect(await orgsOf()).toEqual({ orgs: topLevel, next: null })
  })

  test('the orgs that another token sees are its own that exist, without those below others', async () => {
    expect(await orgsOf('', as('few'))).toEqual({ orgs: ['alpha', 'beta/sub'], next: null })
    expect(await orgsOf('', as('none'))).toEqual({ orgs: [], next: null })
  })

  test.each([1, 2, 4, 5, 6, 1_000])('orgs come in pages of %i, each once', async (limit) => {
    for (const [caller, expected] of [
      [client, topLevel],
      [as('few'), ['alpha', 'beta/sub']],
    ] as const) {
      const found: string[] = []
      for (let next: string | null = ''; next !== null; ) {
        const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`
        const page: Orgs = await orgsOf(`?limit=${limit}${after}`, caller)
        expect(page.orgs.length).toBeLessThanOrEqual(limit)
        found.push(...page.orgs)
        next = page.next
      }
      expect(found).toEqual(expected)
    }
  })

  test('a page of orgs starts after an org that need not exist', async () => {
    expect((await orgsOf('?after=b0')).orgs).toEqual(['beta', 'zeta'])
    expect((await orgsOf('?after=alpha%2Fx', as('few'))).orgs).toEqual(['beta/sub'])
  })

  test.each(['limit=0', 'limit=1001', 'limit=x', 'after=.x', 'after=', 'order=up'])(
    'a list of orgs with %s is refused',
    async (query) => {
      const { status, body } = await client.get<{ errors: { path: string }[] }>(`/1.0/orgs?${query}`)
      expect([status, body.errors[0]?.path]).toEqual([400, query.split('=')[0]])
    },
  )
})
