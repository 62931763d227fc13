import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import { createStaticTokens } from '../../shared/auth/static-tokens.ts'

const directory = mkdtempSync(join(tmpdir(), 'tokens-'))
afterAll(() => rmSync(directory, { recursive: true }))

const digest = (token: string) => createHash('sha256').update(token).digest('hex')
const aliceGrant = { name: 'alice', orgs: ['acme', 'acme-eu/north'], scopes: ['publish:read', 'publish:write'] }
const bobGrant = { name: 'bob', orgs: ['*'], scopes: ['manager:read', 'manager:write', 'search:read'] }
/** The identity of a static token is its name. */
const alice = { ...aliceGrant, identity: 'alice', expiresAt: null }
const bob = { ...bobGrant, identity: 'bob', expiresAt: null }
const entry = (token: string, principal: object) => ({ ...principal, sha256: digest(token) })

const quiet = { info() {}, error() {} }

/** A tokens file for one test. */
function tokensFile(content: unknown) {
  const path = join(directory, `${randomUUID()}.json`)
  let writes = 0
  const write = (changed: unknown) => {
    writeFileSync(path, typeof changed === 'string' ? changed : JSON.stringify(changed))
    // The file system clock may not advance between two writes of a test.
    utimesSync(path, 1_700_000_000, 1_700_000_000 + writes++)
  }
  write(content)
  return { path, write }
}

/** A change is noticed within two seconds; the timeout leaves room for a busy machine. */
const soon = (ask: () => unknown, expected: unknown) =>
  vi.waitFor(() => expect(ask()).toEqual(expected), { timeout: 20_000 })

describe('a token', () => {
  test('a token identifies its caller, without revealing its digest', () => {
    const { path } = tokensFile([entry('for alice', aliceGrant), entry('for bob', bobGrant)])
    const principalOf = createStaticTokens(path, quiet)
    expect([principalOf('for alice'), principalOf('for bob')]).toEqual([alice, bob])
  })

  test('a token that is not configured is rejected, and so is a digest', () => {
    const { path } = tokensFile([entry('for alice', aliceGrant)])
    const principalOf = createStaticTokens(path, quiet)
    const others = ['', 'for Alice', 'for alice ', 'for alic', digest('for alice'), '\u0000', '😀', 'x'.repeat(10_000)]
    expect(others.map(principalOf)).toEqual(others.map(() => null))
  })

  test('a token is rejected when none is configured', () => {
    expect(createStaticTokens(tokensFile([]).path, quiet)('')).toBeNull()
  })

  test('a token may have any characters', () => {
    const tokens = ['ü😀', '"quoted"', ' ', 'a.b.c', '__proto__']
    const { path } = tokensFile(tokens.map((token) => entry(token, { ...aliceGrant, name: token })))
    const principalOf = createStaticTokens(path, quiet)
    expect(tokens.map((token) => principalOf(token)?.name)).toEqual(tokens)
  })

  test('a token covers its orgs with their sub-directories, and no others', () => {
    const { path } = tokensFile([entry('for alice', aliceGrant), entry('for bob', bobGrant)])
    const principalOf = createStaticTokens(path, quiet)
    const orgs = ['acme', 'acme/eu', 'acme-eu', 'acme-eu/north', 'acme-eu/north/1', 'acme-eu/northern', 'acm', 'other']
    const covered = (token: string) => orgs.filter((org) => coversOrg(principalOf(token) as Principal, org))
    expect(covered('for alice')).toEqual(['acme', 'acme/eu', 'acme-eu/north', 'acme-eu/north/1'])
    expect(covered('for bob')).toEqual(orgs)
  })
})

describe.concurrent('the tokens file', () => {
  test('the tokens file is reloaded when it changes: new tokens work, removed ones do not', async () => {
    const { path, write } = tokensFile([entry('old', aliceGrant)])
    const principalOf = createStaticTokens(path, quiet)
    expect([principalOf('old'), principalOf('new')]).toEqual([alice, null])
    write([entry('new', bobGrant)])
    await soon(() => [principalOf('old'), principalOf('new')], [null, bob])
    write([entry('new', aliceGrant)])
    await soon(() => principalOf('new'), alice)
  })

  test('the tokens file is reloaded when it is replaced by one of the same size and time', async () => {
    const { path } = tokensFile([entry('old', aliceGrant)])
    const principalOf = createStaticTokens(path, quiet)
    const { atime, mtime } = statSync(path)
    writeFileSync(`${path}.next`, JSON.stringify([entry('new', aliceGrant)]))
    utimesSync(`${path}.next`, atime, mtime)
    renameSync(`${path}.next`, path)
    await soon(() => [principalOf('old'), principalOf('new')], [null, alice])
  })

  test.each([
    ['is not JSON', '[{"name":'],
    ['is empty', ''],
    ['is not a list', entry('new', bobGrant)],
    ['has an unknown scope', [entry('new', { ...bobGrant, scopes: ['publish:everything'] })]],
    ['has an unknown field', [{ ...entry('new', bobGrant), token: 'new' }]],
    ['has a token in the clear', [{ ...bobGrant, sha256: 'new' }]],
    ['has a digest in capitals', [{ ...bobGrant, sha256: digest('new').toUpperCase() }]],
    ['has a name that is no org', [entry('new', { ...bobGrant, orgs: ['../acme'] })]],
    ['has one wrong entry among right ones', [entry('new', bobGrant), { ...entry('newer', bobGrant), name: '' }]],
  ])('the tokens file keeps the old tokens while it %s, until it is valid again', async (_problem, broken) => {
    const { path, write } = tokensFile([entry('old', aliceGrant)])
    const problems: string[] = []
    const principalOf = createStaticTokens(path, { ...quiet, error: (_fields, message) => problems.push(message) })
    write(broken)
    const isNoticed = () => [principalOf('old'), principalOf('new'), problems.length > 0]
    await soon(isNoticed, [alice, null, true])
    write([entry('new', bobGrant)])
    await soon(() => [principalOf('old'), principalOf('new')], [null, bob])
  })

  test('the tokens file keeps the old tokens while it is missing, and is reloaded when it is back', async () => {
    const { path, write } = tokensFile([entry('old', aliceGrant)])
    const problems: string[] = []
    const principalOf = createStaticTokens(path, { ...quiet, error: (_fields, message) => problems.push(message) })
    rmSync(path)
    await soon(() => [principalOf('old'), problems.length > 0], [alice, true])
    write([entry('new', bobGrant)])
    await soon(() => [principalOf('old'), principalOf('new')], [null, bob])
  })

  test('the tokens file is refused at start when it is invalid or missing, without revealing its content', () => {
    const { path } = tokensFile([{ ...bobGrant, sha256: 'a token in the clear' }])
    const start = () => createStaticTokens(path, quiet)
    expect(start).toThrow(/AUTH_TOKENS: .*SHA-256/s)
    expect(start).not.toThrow(/in the clear/)
    expect(() => createStaticTokens(`${path}.none`, quiet)).toThrow()
  })
})
