import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../shared/config/config.ts'
import { key, least, problemsOf } from '../least-environment.ts'

describe('problems', () => {
  test('problems are all reported at once, including those between variables', () => {
    expect(problemsOf({})).toEqual([
      'REDIS_URL: required',
      'S3_ENDPOINT: required',
      'S3_ACCESS_KEY: required',
      'S3_SECRET_KEY: required',
      'SECRET_KEYS: required',
      'AUTH_TOKENS or AUTH_JWKS_URL: one is required',
    ])
  })

  test('problems with authentication are not reported for a worker, which serves no clients', () => {
    const { AUTH_TOKENS, ...withoutTokens } = least
    expect(problemsOf(withoutTokens, 'api')).toEqual(['AUTH_TOKENS or AUTH_JWKS_URL: one is required'])
    expect(problemsOf(withoutTokens, 'worker')).toEqual([])
  })

  test('problems with values name the variable and the rule', () => {
    const broken = {
      REDIS_URL: 'http://127.0.0.1',
      S3_ENDPOINT: '127.0.0.1:9000',
      API_PORT: '65536',
      WORKER_CONCURRENCY: '0',
      PUBLISH_WAIT_SECONDS: '56',
      JOB_MAX_PAIRS: 'many',
      JOB_MAX_SECONDS: '1.5',
      PLAIN_FILES: 'yes',
      LOG_LEVEL: 'loud',
      SECRET_KEYS: 'k1',
      ORIGIN_ALLOW: 'db.example:0',
    }
    expect(problemsOf({ ...least, ...broken })).toMatchInlineSnapshot(`
      [
        "API_PORT: must be a whole number from 0 to 65535",
        "WORKER_CONCURRENCY: must be a whole number, 1 or more",
        "REDIS_URL: must be a URL starting with redis://, rediss://, redis+sentinel:// or rediss+sentinel://",
        "S3_ENDPOINT: must be a URL starting with http:// or https://",
        "SECRET_KEYS: entry 1 must be kid:base64key",
        "ORIGIN_ALLOW: "db.example:0" is not a host, *.suffix or CIDR",
        "PUBLISH_WAIT_SECONDS: must be a whole number from 0 to 55",
        "JOB_MAX_PAIRS: must be a whole number, 1 or more",
        "JOB_MAX_SECONDS: must be a whole number from 1 to 2000000",
        "PLAIN_FILES: Invalid option: expected one of "on"|"off"",
        "LOG_LEVEL: Invalid option: expected one of "fatal"|"error"|"warn"|"info"|"debug"|"trace"|"silent"",
      ]
    `)
  })

  test('problems are reported if a program would serve its metrics where it serves the rest', () => {
    const given = { ...least, METRICS_PORT: '8080' }
    expect(problemsOf(given, 'api')).toEqual(['METRICS_PORT: must differ from API_PORT'])
    expect(problemsOf(given, 'worker')).toEqual([])
    expect(problemsOf({ ...given, WORKER_HEALTH_PORT: '8080' }, 'worker')).toEqual([
      'METRICS_PORT: must differ from WORKER_HEALTH_PORT',
    ])
    expect(problemsOf({ ...least, API_PORT: '0', METRICS_PORT: '0' })).toEqual([])
  })

  test('problems are reported if callbacks are allowed and nothing signs them', () => {
    expect(problemsOf({ ...least, CALLBACK_ALLOW: '*' })).toEqual(['CALLBACK_SECRETS: required with CALLBACK_ALLOW'])
    expect(problemsOf({ ...least, CALLBACK_SECRETS: least.SECRET_KEYS })).toEqual([])
  })

  test.each(['MANAGER_DB_USER', 'MANAGER_DB_PASSWORD'])('problems are reported if %s is set alone', (name) => {
    expect(problemsOf({ ...least, [name]: 'models' })).toEqual([
      'MANAGER_DB_USER and MANAGER_DB_PASSWORD: both or neither',
    ])
  })

  test('problems are listed one per line in the message', () => {
    expect(new ConfigError(['REDIS_URL: required', 'S3_ENDPOINT: required']).message).toMatchInlineSnapshot(`
      "the environment is not valid:
        REDIS_URL: required
        S3_ENDPOINT: required"
    `)
  })

  test.each(['S3_ENDPOINT', 'S3_PUBLIC_ENDPOINT', 'MANAGER_DB_URL', 'AUTH_JWKS_URL'])(
    'problems include credentials in %s, which error messages would quote',
    (name) => {
      const scheme = name === 'MANAGER_DB_URL' ? 'bolt' : 'https'
      const problems = problemsOf({ ...least, [name]: `${scheme}://user:pass-canary@db.example` })
      expect(problems[0]).toBe(`${name}: must not hold credentials`)
    },
  )

  test('problems never show a secret', () => {
    const secrets = {
      REDIS_URL: 'https://:redis-password@127.0.0.1',
      S3_ENDPOINT: 'ftp://access:s3-password@127.0.0.1',
      S3_SECRET_KEY: 'shared-secret',
      MANAGER_DB_URL: 'http://neo4j:manager-password@127.0.0.1',
      MANAGER_DB_USER: 'neo4j',
      MANAGER_DB_PASSWORD: 'manager-password',
      SECRET_KEYS: `k1:${key(1).toString('base64')},k2:${Buffer.alloc(31, 2).toString('base64')}`,
      CALLBACK_SECRETS: `c1:${Buffer.alloc(31, 2).toString('base64')}`,
    }
    const told = problemsOf({ ...least, ...secrets, API_PORT: 'x' }).join('\n')
    expect(told.split('\n').map((line) => line.split(':')[0])).toEqual([
      'API_PORT',
      'REDIS_URL',
      'S3_ENDPOINT',
      'MANAGER_DB_URL',
      'SECRET_KEYS',
      'CALLBACK_SECRETS',
    ])
    expect(told).not.toMatch(/password|shared-secret|AQEBAQ|AgICAg/)
  })
})
