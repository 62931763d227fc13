import { describe, expect, test, vi } from 'vitest'
import { overrides } from '../../dev/service.ts'
import { failuresOf, runDoctor } from '../support/programs/doctor.ts'
import { redisWith } from '../support/servers/redis-with.ts'

// Each run starts its own process.
vi.setConfig({ testTimeout: 120_000 })

test('with everything correct, every line is ok and the exit code is 0', async () => {
  const { code, lines } = await runDoctor({ REDIS_URL: await redisWith({ appendonly: 'yes', maxmemory: '100mb' }) })
  expect(lines.map((line) => line.replace(/\d+\.\d+(\.\d+)?( MiB)?|\bpublish\b|"[\w-]+"|\d+ rule/g, '…'))).toEqual([
    'ok    settings: complete and valid',
    'ok    access: the file that AUTH_TOKENS names has 6 token(s)',
    'ok    origins: …(s) of ORIGIN_ALLOW, with port 7687 by default',
    'ok    redis version: …',
    'ok    redis eviction policy: noeviction',
    'ok    redis memory: … of …',
    'ok    redis persistence: append-only file, appendfsync everysec',
    'ok    redis rights: all that the programs need',
    'ok    key ring: … encrypts, 1 decrypt; 0 stored credential(s) open',
    'ok    object store: bucket … is there',
    'ok    object store: creates a key once only (If-None-Match: *), also of ten creates at once',
    'ok    object store: lists what was just written',
    `ok    object store: keeps names with + " ' % ~ and a dot at the start of a segment, and lists below such a dot`,
    'ok    object store: lists keys in order, whatever the size of the pages',
    'ok    object store: removes a key, and accepts that it is missing',
    'ok    object store: copies an object',
    'ok    object store: refuses a request that was signed twenty minutes ago',
    expect.stringMatching(/^ok {4}object store names: (keeps|hides) /),
    'ok    object store clock: agrees with the clock of this machine',
    'ok    download links: open from here',
    'ok    manager database: answers',
    'ok    manager constraints: all there',
  ])
  expect(code).toBe(0)
})

describe('settings', () => {
  test('settings that are missing or invalid are all reported, and no further check runs', async () => {
    const { code, lines } = await runDoctor({ REDIS_URL: undefined, S3_SECRET_KEY: '', SECRET_KEYS: 'k1:c2hvcnQ=' })
    expect(lines).toEqual([
      'fail  settings: REDIS_URL: required',
      'fail  settings: S3_SECRET_KEY: required',
      'fail  settings: SECRET_KEYS: the key of "k1" must be 32 bytes',
      'fail  settings: nothing else was checked: correct these first',
    ])
    expect(code).toBe(1)
  })

  test('the settings of a worker pass, with a warning for each that only an API or only a test needs', async () => {
    const change = {
      AUTH_TOKENS: undefined,
      MANAGER_DB_URL: undefined,
      ...overrides({ failpoint: 'midRead:kill:1000' }),
    }
    const everything = {
      ORIGIN_ALLOW: '0.0.0.0/0',
      CALLBACK_ALLOW: '[::]/0',
      CALLBACK_SECRETS: `c1:${'A'.repeat(43)}=`,
    }
    const { code, told } = await failuresOf({ ...change, ...everything })
    expect(told.map((line) => line.slice(0, 30))).toEqual([
      'warn  settings: TEST_OVERRIDES',
      'warn  access: neither AUTH_TOK',
      'warn  origins: ORIGIN_ALLOW al',
      'warn  callbacks: CALLBACK_ALLO',
      'warn  manager database: MANAGE',
    ])
    expect(code).toBe(0)
  })
})
