import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { describe, expect, inject, test, vi } from 'vitest'
import { parseSecretKeys } from '../../shared/config/lists.ts'
import { secretKeyOf } from '../../shared/jobs/redis-keys.ts'
import { createSecrets } from '../../shared/jobs/secrets.ts'
import { runDoctor } from '../support/doctor.ts'
import { redisWith } from '../support/redis-with.ts'

// Each run is a process of its own, and some start a Redis.
vi.setConfig({ testTimeout: 120_000 })

const { redis } = inject('stack')
const lasting = { appendonly: 'yes', maxmemory: '100mb' }

test('where everything is right, every line is ok, and the exit code is 0', async () => {
  const { code, lines } = await runDoctor({ REDIS_URL: await redisWith(lasting) })
  expect(lines.map((line) => line.replace(/\d+\.\d+(\.\d+)?( MiB)?|\bpublish\b|"[\w-]+"|\d+ rule/g, '…'))).toEqual([
    'ok    settings: complete and valid',
    'ok    access: the file that AUTH_TOKENS names has 4 token(s)',
    'ok    origins: …(s) of ORIGIN_ALLOW, port 7687 where a rule names none',
    'ok    redis version: …',
    'ok    redis eviction policy: noeviction',
    'ok    redis memory: … of …',
    'ok    redis persistence: append-only file, appendfsync everysec',
    'ok    key ring: … encrypts, 1 decrypt; 0 stored credential(s) open',
    'ok    object store: bucket …: creates a key once only, reads and lists what was just written',
    'ok    object store clock: agrees with the clock of this machine',
    'ok    download links: open from here',
    'ok    manager database: answers',
    'ok    manager constraints: all there',
  ])
  expect(code).toBe(0)
})

describe('a Redis', () => {
  test('that may evict keys fails', async () => {
    const { code, notOk } = await runDoctor({
      REDIS_URL: await redisWith({ ...lasting, 'maxmemory-policy': 'allkeys-lru' }),
    })
    expect(notOk).toEqual(['fail  redis eviction policy: allkeys-lru loses jobs: set maxmemory-policy noeviction'])
    expect(code).toBe(1)
  })

  test('that keeps nothing on disk and has no limit is a warning each, and the exit code is 0', async () => {
    const { code, notOk } = await runDoctor({ REDIS_URL: await redisWith({}) })
    expect(notOk).toEqual([
      expect.stringMatching(/^warn {2}redis memory: [\d.]+ MiB without a limit: set maxmemory/),
      'warn  redis persistence: none: a restart of Redis loses all jobs; set appendonly yes',
    ])
    expect(code).toBe(0)
  })

  test('that is nearly full is a warning', async () => {
    const url = await redisWith(lasting)
    const connection = new Redis(url)
    const used = Number(/^used_memory:(\d+)/m.exec(await connection.info('memory'))?.[1])
    await connection.config('SET', 'maxmemory', String(Math.ceil(used / 0.9)))
    connection.disconnect()
    const { notOk } = await runDoctor({ REDIS_URL: url })
    expect(notOk).toEqual([expect.stringMatching(/^warn {2}redis memory: [\d.]+ MiB of [\d.]+ MiB: when it is full/)])
  })

  test('with another password fails, and neither password is shown', async () => {
    const url = await redisWith({ requirepass: 'the-right-one' })
    const { code, output, notOk } = await runDoctor({ REDIS_URL: url.replace('//', '//:the-wrong-one@') })
    expect(notOk).toEqual(['fail  redis: refuses the user or the password in REDIS_URL'])
    expect(output).not.toMatch(/the-(right|wrong)-one/)
    expect(code).toBe(1)
  })

  test('without a password where one is needed fails', async () => {
    const { notOk } = await runDoctor({ REDIS_URL: await redisWith({ requirepass: 'the-right-one' }) })
    expect(notOk).toEqual(['fail  redis: refuses the user or the password in REDIS_URL'])
  })

  test('that is not there fails, and the rest is looked at all the same', async () => {
    const { code, lines, notOk } = await runDoctor({ REDIS_URL: 'redis://:hidden@127.0.0.1:1' })
    expect(notOk).toEqual(['fail  redis: does not answer (ECONNREFUSED): check REDIS_URL, and that Redis runs'])
    expect(lines).toContain('ok    manager database: answers')
    expect(code).toBe(1)
  })

  test('without the database that REDIS_URL names fails', async () => {
    const { notOk } = await runDoctor({ REDIS_URL: `${redis.url}/99` })
    expect(notOk).toEqual(['fail  redis: REDIS_URL names a database that this Redis does not have'])
  })
})

describe('the key ring', () => {
  const ringOf = (...names: string[]) => names.map((name) => `${name}:${randomBytes(32).toString('base64')}`)

  /** A Redis in which a job has credentials that were sealed with the first key of a ring. */
  async function sealedWith(key: string): Promise<string> {
    const url = await redisWith(lasting)
    const connection = new Redis(url)
    const id = randomUUID()
    await connection.set(
      secretKeyOf(id),
      createSecrets(connection, parseSecretKeys(key)).encrypt(id, ['Basic secret']).sealedKey,
    )
    expect(await connection.keys(secretKeyOf('*'))).toHaveLength(1)
    connection.disconnect()
    return url
  }

  test('opens what a key behind the first has sealed', async () => {
    const [old, next] = ringOf('old', 'next') as [string, string]
    const { code, lines } = await runDoctor({ REDIS_URL: await sealedWith(old), SECRET_KEYS: `${next},${old}` })
    expect(lines).toContain('ok    key ring: "next" encrypts, 2 decrypt; 1 stored credential(s) open')
    expect(code).toBe(0)
  })

  test('fails without a key that was taken away too early', async () => {
    const [old, next] = ringOf('old', 'next') as [string, string]
    const { code, output, notOk } = await runDoctor({ REDIS_URL: await sealedWith(old), SECRET_KEYS: next })
    expect(notOk).toEqual([
      'fail  key ring: 1 stored credential(s) were sealed with the key "old", which SECRET_KEYS lacks: put it back, behind the first, until they are gone',
    ])
    expect(output).not.toContain(next.split(':')[1])
    expect(code).toBe(1)
  })

  test('fails with another key under the same name, and warns of two of one name', async () => {
    const [first, second, third] = ringOf('k', 'k', 'k') as [string, string, string]
    const { notOk } = await runDoctor({ REDIS_URL: await sealedWith(first), SECRET_KEYS: `${second},${third}` })
    expect(notOk).toEqual([
      'warn  key ring: two keys are named "k", and the second is never used: each needs a name of its own',
      'fail  key ring: 1 stored credential(s) were sealed with the key "k", but another key has that name now: put the old one back',
    ])
  })
})
