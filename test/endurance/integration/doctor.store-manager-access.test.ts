import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { failuresOf } from '../../support/programs/doctor.ts'
import { startFaultyStore } from '../../support/servers/faulty-store.ts'
import { startIdentityProvider } from '../../support/servers/identity-provider.ts'

vi.setConfig({ testTimeout: 120_000 })

const directory = mkdtempSync(join(tmpdir(), 'doctor-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('an object store', () => {
  test('an object store that ignores conditional creates is reported as a failure', async () => {
    const { settings } = await startFaultyStore({ ignoresCondition: true })
    const { code, told } = await failuresOf(settings)
    expect(told).toEqual([
      'fail  object store: it ignores If-None-Match: *, so that packets could overwrite each other',
    ])
    expect(code).toBe(1)
  })

  test.each([
    ['twenty minutes', 1_200, 'fail'],
    ['two minutes', 120, 'warn'],
  ])('an object store whose clock is %s late is reported', async (_name, lateSeconds, level) => {
    const { settings } = await startFaultyStore({ lateSeconds })
    const { code, told } = await failuresOf(settings)
    expect(told[0]).toMatch(new RegExp(`^${level}  object store clock: differs .* by 1?\\d+ s: set both by NTP$`))
    expect(code).toBe(level === 'fail' ? 1 : 0)
  })

  test('an object store that rejects the secret key is reported as a failure, without showing the key', async () => {
    const { code, told, output } = await failuresOf({ S3_SECRET_KEY: 'another-secret-key' })
    expect(told).toEqual([expect.stringMatching(/^fail {2}object store: refuses access \(\w+\): check S3_ACCESS_KEY/)])
    expect(output).not.toContain('another-secret-key')
    expect(code).toBe(1)
  })

  test('an object store that is unreachable is reported as a failure', async () => {
    const { told } = await failuresOf({ S3_ENDPOINT: 'http://127.0.0.1:1' })
    expect(told).toEqual([expect.stringMatching(/^fail {2}object store: does not answer .*ECONNREFUSED.*S3_ENDPOINT/)])
  })

  test('an object store whose public endpoint is unreachable gets a warning', async () => {
    const { code, told } = await failuresOf({ S3_PUBLIC_ENDPOINT: 'http://127.0.0.1:2' })
    expect(told).toEqual([expect.stringMatching(/^warn {2}download links: do not open from here \(ECONNREFUSED\)/)])
    expect(code).toBe(0)
  })
})

describe('the manager database', () => {
  test('the manager database that rejects the password is reported as a failure, without showing it', async () => {
    const { code, told, output } = await failuresOf({ MANAGER_DB_PASSWORD: 'another-password' })
    expect(told).toEqual([expect.stringMatching(/^fail {2}manager database: refuses access .*check MANAGER_DB_USER/)])
    expect(output).not.toContain('another-password')
    expect(code).toBe(1)
  })

  test('the manager database that is unreachable is reported as a failure', async () => {
    const { told } = await failuresOf({ MANAGER_DB_URL: 'bolt://127.0.0.1:1' })
    expect(told).toEqual([expect.stringMatching(/^fail {2}manager database: does not answer .*check MANAGER_DB_URL/)])
  })

  test('the manager database has its constraints checked on Neo4j 3.5 too', async () => {
    const { legacy } = inject('stack')
    if (!legacy) throw new Error('the stack has no Neo4j 3.5')
    const { boltUrl, username, password } = legacy
    const env = { MANAGER_DB_URL: boltUrl, MANAGER_DB_USER: username, MANAGER_DB_PASSWORD: password }
    const { output, told } = await failuresOf(env)
    expect(told).toEqual([])
    expect(output).toContain('ok    manager constraints: all there')
  })
})

describe('access', () => {
  const file = (content: string) => {
    const path = join(directory, 'tokens.json')
    writeFileSync(path, content)
    return path
  }

  test.each([
    ['is not there', () => join(directory, 'none.json'), /the file cannot be read \(ENOENT\)/],
    ['is no JSON', () => file('bare-secret-token'), /the file is not valid JSON/],
    [
      'breaks a rule',
      () => file('[{"name":"a","sha256":"bare-secret-token","orgs":[],"scopes":[]}]'),
      /SHA-256 digest/,
    ],
  ])('the check of access fails when the tokens file %s', async (_name, path, why) => {
    const { code, told, output } = await failuresOf({ AUTH_TOKENS: path() })
    expect(told).toEqual([expect.stringMatching(/^fail {2}access: AUTH_TOKENS: .*; no API can start$/)])
    expect(told[0]).toMatch(why)
    expect(output).not.toContain('bare-secret-token')
    expect(code).toBe(1)
  })

  test('the check of access reports the number of JWKS keys, and fails while the JWKS URL is unreachable', async () => {
    const { jwksUrl, stop } = await startIdentityProvider()
    onTestFinished(stop)
    const env = { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: 'https://issuer.example', AUTH_AUDIENCE: 'packets' }
    expect((await failuresOf(env)).output).toContain('ok    access: AUTH_JWKS_URL has 1 key(s)')
    await stop()
    const { code, told } = await failuresOf(env)
    expect(told).toEqual([expect.stringMatching(/^fail {2}access: AUTH_JWKS_URL does not answer \(ECONNREFUSED\)/)])
    expect(code).toBe(1)
  })
})
