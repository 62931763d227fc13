import { expect, test } from 'vitest'
import { settingsFor, settingsGiven } from '../../../dev/start-settings.ts'
import { ConfigError } from '../../../shared/config/config.ts'
import { environment } from '../../../shared/config/env.ts'
import { key } from '../least-environment.ts'

const origin = { boltUrl: 'bolt://127.0.0.1:7000', username: 'neo4j', password: 'secret', pid: null }
const secrets = `k1:${key(1).toString('base64')}`

function problemsOf(variables: Record<string, string>): readonly string[] {
  try {
    settingsGiven(variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('npm start passes on every setting that it does not decide itself', () => {
  const given = {
    API_HOST: '127.0.0.1',
    API_PORT: '8090',
    WORKER_HEALTH_PORT: '0',
    METRICS_PORT: '0',
    STOP_GRACE_SECONDS: '5',
    WORKER_LOCK_SECONDS: '20',
    WORKER_CONCURRENCY: '1',
    REDIS_URL: 'redis://127.0.0.1/7',
    S3_ENDPOINT: 'http://127.0.0.1:9000',
    S3_BUCKET: 'mine',
    S3_PUBLIC_ENDPOINT: 'http://127.0.0.1:9001',
    S3_REGION: 'eu-1',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 's',
    MANAGER_DB_URL: 'bolt://127.0.0.1:1',
    MANAGER_DB_USER: 'u',
    MANAGER_DB_PASSWORD: 'p',
    AUTH_JWKS_URL: 'https://id.example/keys',
    AUTH_ISSUER: 'me',
    AUTH_AUDIENCE: 'packets',
    SECRET_KEYS: secrets,
    MASK_KEYS: secrets,
    ORIGIN_DNS_SERVERS: '127.0.0.1:53',
    ORIGIN_SILENCE_SECONDS: '10',
    CALLBACK_ALLOW: '127.0.0.1:9',
    CALLBACK_SECRETS: secrets,
    PUBLISH_WAIT_SECONDS: '1',
    JOB_MAX_PAIRS: '10',
    JOB_MAX_SECONDS: '20',
    PACKET_RETENTION_DAYS: '1',
    PLAIN_FILES: 'off',
    CONSOLE: 'off',
    INLINE_LIMIT_BYTES: '1',
    RATE_LIMIT_PER_MINUTE: '2',
    MAX_QUEUED_JOBS: '3',
    LOG_LEVEL: 'debug',
  }
  const decidedOrOfAFile = ['ORIGIN_ALLOW', 'CA_FILE', 'AUTH_TOKENS']
  expect(Object.keys(given).toSorted()).toEqual(
    Object.keys(environment.shape)
      .filter((name) => !decidedOrOfAFile.includes(name))
      .toSorted(),
  )
  const settings = settingsFor(settingsGiven({ ...given, PATH: '/bin', ORIGIN_ALLOW: 'db.example:7688' }), origin, true)
  expect(settings).toEqual({ ...given, ORIGIN_ALLOW: '127.0.0.1:7000,db.example:7688' })
})

test('npm start allows its own origin and serves the console if nothing is set', () => {
  expect(settingsFor(settingsGiven({}), origin, true)).toEqual({ CONSOLE: 'on', ORIGIN_ALLOW: '127.0.0.1:7000' })
})

test('npm start keeps no models in a database that it may not write to', () => {
  const none = { MANAGER_DB_URL: '', MANAGER_DB_USER: '', MANAGER_DB_PASSWORD: '' }
  expect(settingsFor({}, origin, false)).toMatchObject(none)
  const named = { MANAGER_DB_URL: 'bolt://127.0.0.1:1' }
  for (const mayWrite of [true, false])
    expect(settingsFor(named, origin, mayWrite)).toMatchObject({ ...none, ...named })
})

test.each([
  ['AUTH_TOKENS', 'tokens.json', 'npm start makes a token of its own; leave it out'],
  ['WORKER_HEALTH_PORT', '8081', 'npm start gives every program a free port; leave it out'],
  ['METRICS_PORT', '9090', 'npm start gives every program a free port; leave it out'],
  ['LOG_LEVEL', 'warn', 'npm start reads the logs; set info, debug or trace'],
  ['STOP_GRACE_SECONDS', '31', 'npm start ends its programs after 40 seconds; set at most 30'],
  ['REDIS_URL', 'redis+sentinel://one/mymaster', 'npm start takes no Sentinels; set redis:// or rediss://'],
  ['S3_ACCESS_KEY', 'access', 'only with S3_ENDPOINT'],
  ['MANAGER_DB_PASSWORD', 'secret', 'only with MANAGER_DB_URL'],
])('npm start refuses %s=%s by name', (name, value, reason) => {
  expect(problemsOf({ [name]: value })).toContain(`${name}: ${reason}`)
})

test('npm start reports all problems of the settings before it starts anything', () => {
  expect(
    problemsOf({ API_PORT: 'x', WORKER_CONCURRENCY: '0', AUTH_TOKENS: 'tokens.json', CALLBACK_ALLOW: '*' }),
  ).toEqual([
    'AUTH_TOKENS: npm start makes a token of its own; leave it out',
    'API_PORT: must be a whole number from 0 to 65535',
    'WORKER_CONCURRENCY: must be a whole number, 1 or more',
    'CALLBACK_SECRETS: required with CALLBACK_ALLOW',
  ])
})
