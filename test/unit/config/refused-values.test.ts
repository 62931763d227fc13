import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../shared/config/config.ts'
import { environment } from '../../../shared/config/env.ts'
import { least, problemsOf } from '../least-environment.ts'

const names = Object.keys(environment.shape)
const seconds = names.filter((name) => name.endsWith('_SECONDS'))
// The issuer and the audience require JWKS.
const jwt = { AUTH_JWKS_URL: 'https://id.example/keys', AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'packets' }
const one = (name: string, value: string) => problemsOf({ ...least, ...jwt, [name]: value })

describe('a number', () => {
  // A Node timer of more than 2^31 milliseconds fires at once.
  test.each(seconds)('%s cannot exceed the maximum of a timer', (name) => {
    const most = name === 'PUBLISH_WAIT_SECONDS' ? 55 : 2_000_000
    const first = name === 'PUBLISH_WAIT_SECONDS' ? 0 : 1
    expect(one(name, String(most))).toEqual([])
    for (const beyond of [most + 1, 2_147_484, 1e15])
      expect(one(name, String(beyond))).toEqual([`${name}: must be a whole number from ${first} to ${most}`])
  })

  const numbers = [...seconds, 'RATE_LIMIT_PER_MINUTE', 'API_PORT', 'WORKER_HEALTH_PORT', 'JOB_MAX_PAIRS']
  test.each(numbers)('%s accepts digits only, not blanks or other notations', (name) => {
    for (const odd of [' ', '\t\n', '1 ', '1e1', '0x10', '1.0', '-1', '+1', '1_0', 'true'])
      expect(one(name, odd)).toEqual([expect.stringMatching(`^${name}: must be a whole number`)])
  })
})

describe('days', () => {
  test.each(['0.5', '30', '36500', '0.000000001'])('a number of days may be %s', (days) => {
    expect(one('PACKET_RETENTION_DAYS', days)).toEqual([])
  })

  test.each(['0', '0.0', '-1', '36500.1', '1e3', '.5', '5.', '1,5', ' 1', 'ever'])(
    'a number of days must not be %s',
    (days) => {
      expect(one('PACKET_RETENTION_DAYS', days)).toEqual([
        'PACKET_RETENTION_DAYS: must be a number above 0, up to 36500',
      ])
    },
  )
})

describe('a text', () => {
  const texts = ['S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'API_HOST', 'AUTH_TOKENS']
  test.each([...texts, 'ORIGIN_ALLOW', 'SECRET_KEYS', 'ORIGIN_DNS_SERVERS'])('%s must not be blank', (name) => {
    expect(one(name, ' \t')[0]).toBe(`${name}: must not be blank`)
  })

  test.each(['AUTH_ISSUER', 'AUTH_AUDIENCE'])('%s must not have surrounding whitespace', (name) => {
    expect(one(name, 'me\n')).toEqual([`${name}: must not begin or end with whitespace`])
  })
})

describe('a list', () => {
  test('a list of allowed origins has at least one entry', () => {
    expect(one('ORIGIN_ALLOW', ', ,')).toEqual(['ORIGIN_ALLOW: must name at least one host, *.suffix or CIDR'])
  })

  test('a list of where to call back has at least one entry, or is *', () => {
    const problem = 'CALLBACK_ALLOW: must name at least one host, *.suffix or CIDR, or be *'
    expect(one('CALLBACK_ALLOW', ', ,')).toContain(problem)
    expect(one('CALLBACK_ALLOW', '*,db.example')).toContain('CALLBACK_ALLOW: "*" is not a host, *.suffix or CIDR')
  })

  test('a list of allowed origins does not show an entry with credentials', () => {
    expect(one('ORIGIN_ALLOW', 'db.example,bolt://user:pass-canary@db.example')).toEqual([
      'ORIGIN_ALLOW: an entry with an @ is not a host, *.suffix or CIDR',
    ])
  })
})

describe('the file of authorities', () => {
  const fixture = (name: string) => join(import.meta.dirname, '../../fixtures', name)
  const certificate = readFileSync(fixture('self-signed.cert.pem'), 'utf8')
  const directory = mkdtempSync(join(tmpdir(), 'authorities-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const file = (content: string) => {
    const path = join(directory, randomUUID())
    writeFileSync(path, content)
    return path
  }

  test('the file of authorities holds any number of certificates, with other text between them', () => {
    const path = file(`our own\n${certificate}\nanother\n${certificate}`)
    expect(readConfig('worker', { ...least, CA_FILE: path }).authorities).toEqual(Array(2).fill(certificate.trim()))
  })

  test.each([
    ['does not exist', join(directory, 'none'), 'the file cannot be read (ENOENT)'],
    ['is a directory', directory, 'the file cannot be read (EISDIR)'],
    ['has other text only', file('a note'), 'the file must hold certificates in PEM'],
    ['has a key only', fixture('self-signed.key.pem'), 'the file must hold certificates in PEM'],
    [
      'has a broken certificate',
      file(`${certificate}\n${certificate.replace('MII', 'NII')}`),
      'certificate 2 of the file is broken',
    ],
  ])('the file of authorities is refused if it %s', (_, path, problem) => {
    expect(one('CA_FILE', path)).toEqual([`CA_FILE: ${problem}`])
  })
})

describe('the URL', () => {
  const schemes = {
    S3_ENDPOINT: 'http',
    S3_PUBLIC_ENDPOINT: 'https',
    MANAGER_DB_URL: 'bolt',
    AUTH_JWKS_URL: 'https',
    REDIS_URL: 'redis',
  }
  type Name = keyof typeof schemes
  const names = Object.keys(schemes) as Name[]
  const mayHaveUser = ['REDIS_URL']
  const mayHavePath = ['REDIS_URL', 'AUTH_JWKS_URL']
  const problems = (name: Name, afterScheme: string) => one(name, schemes[name] + afterScheme)

  test.each(names)('the URL in %s requires a host', (name) => {
    expect(problems(name, '://host.example:1234')).toEqual([])
    for (const odd of [':', ':/', ':\\\\', ':///'])
      expect(problems(name, `${odd}user:pass-canary@host`)[0]).toContain(`${name}: must be a URL starting with `)
  })

  test.each(names.filter((name) => !mayHaveUser.includes(name)))(
    'the URL in %s must not hold credentials, and does not show them',
    (name) => {
      for (const odd of ['user:pass-canary@', 'pass-canary@', ':pass-canary@'])
        expect(problems(name, `://${odd}host.example`)).toEqual([`${name}: must not hold credentials`])
    },
  )

  test.each(names.filter((name) => !mayHavePath.includes(name)))(
    'the URL in %s must not have anything after its host',
    (name) => {
      expect(problems(name, '://host.example:1234/')).toEqual([])
      for (const more of ['/path', '/path/', '?user=neo4j&password=pass-canary', '/?a', '#pass-canary'])
        expect(problems(name, `://host.example${more}`)).toEqual([
          `${name}: must not have a path, a query or a fragment`,
        ])
    },
  )
})

test('the Redis URL may have credentials and a database number, but no other path', () => {
  const url = 'rediss://user:p%40ss@redis.example:6380/7'
  expect(readConfig('worker', { ...least, REDIS_URL: url }).redis).toEqual({ url, sentinel: null })
  for (const odd of ['/pass-canary', '/1/2', '/-1', '#pass-canary', '/1#pass-canary'])
    expect(one('REDIS_URL', `redis://host${odd}`)).toEqual([
      'REDIS_URL: must have no path except the number of a database',
    ])
  expect(one('REDIS_URL', 'redis://user:%zzpass-canary@host')).toEqual([
    'REDIS_URL: its user and password must be validly percent-encoded',
  ])
})
