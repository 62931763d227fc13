import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { parseSecretKeys } from '../../../shared/config/lists.ts'
import { createSecrets } from '../../../shared/jobs/stored/secrets.ts'
import { secretKeyOf } from '../../../shared/redis/keys.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { redisWith } from '../../support/servers/redis-with.ts'

// Each run starts its own process, and some also start a Redis.
vi.setConfig({ testTimeout: 120_000 })

const { redis } = inject('stack')
const lasting = { appendonly: 'yes', maxmemory: '100mb' }

describe('a Redis', () => {
  test('a Redis that may evict keys is reported as a failure', async () => {
    const { code, notOk } = await runDoctor({
      REDIS_URL: await redisWith({ ...lasting, 'maxmemory-policy': 'allkeys-lru' }),
    })
    expect(notOk).toEqual(['fail  redis eviction policy: allkeys-lru loses jobs: set maxmemory-policy noeviction'])
    expect(code).toBe(1)
  })

  test('a Redis without persistence and without a memory limit gets one warning each, and exit code 0', async () => {
    const { code, notOk } = await runDoctor({ REDIS_URL: await redisWith({}) })
    expect(notOk).toEqual([
      expect.stringMatching(/^warn {2}redis memory: [\d.]+ MiB without a limit: set maxmemory/),
      'warn  redis persistence: none: a restart of Redis loses all jobs; set appendonly yes',
    ])
    expect(code).toBe(0)
  })

  test('a Redis that is nearly full gets a warning', async () => {
    const url = await redisWith(lasting)
    const connection = new Redis(url)
    const used = Number(/^used_memory:(\d+)/m.exec(await connection.info('memory'))?.[1])
    await connection.config('SET', 'maxmemory', String(Math.ceil(used / 0.9)))
    connection.disconnect()
    const { notOk } = await runDoctor({ REDIS_URL: url })
    expect(notOk).toEqual([expect.stringMatching(/^warn {2}redis memory: [\d.]+ MiB of [\d.]+ MiB: a full Redis/)])
  })

  test('a Redis that rejects the password is reported as a failure, without showing either password', async () => {
    const url = await redisWith({ requirepass: 'the-right-one' })
    const { code, output, notOk } = await runDoctor({ REDIS_URL: url.replace('//', '//:the-wrong-one@') })
    expect(notOk).toEqual(['fail  redis: refuses the user or the password in REDIS_URL'])
    expect(output).not.toMatch(/the-(right|wrong)-one/)
    expect(code).toBe(1)
  })

  test('a Redis that needs a password, with none configured, is reported as a failure', async () => {
    const { notOk } = await runDoctor({ REDIS_URL: await redisWith({ requirepass: 'the-right-one' }) })
    expect(notOk).toEqual(['fail  redis: refuses the user or the password in REDIS_URL'])
  })

  test('a Redis that is unreachable is reported as a failure, and the remaining checks still run', async () => {
    const { code, lines, notOk } = await runDoctor({ REDIS_URL: 'redis://:hidden@127.0.0.1:1' })
    expect(notOk).toEqual(['fail  redis: does not answer (ECONNREFUSED): check REDIS_URL, and that Redis runs'])
    expect(lines).toContain('ok    manager database: answers')
    expect(code).toBe(1)
  })

  const rule = 'the rule for its user is in docs/operations.md, "Rights of the Redis user"'

  test.each(['SELECT', 'EVALSHA', 'TIME', 'SUBSCRIBE'])(
    'a Redis without the command %s is a failure that names it',
    async (command) => {
      const settings = ['--maxmemory', '100mb', '--rename-command', command, '']
      const { address } = await ownRedis(onTestFinished, settings)
      const { code, notOk, output } = await runDoctor({ REDIS_URL: address.url })
      expect(notOk).toEqual([`fail  redis rights: refuses ${command}: ${rule}`])
      expect([code, output]).toEqual([1, expect.not.stringContaining('ready check')])
    },
  )

  test.each([
    ['~* &* +@all -select', 'SELECT'],
    ['~* &* +@all -@dangerous', 'INFO'],
    ['~packets:* resetchannels +@all', 'PUBLISH'],
  ])('a user with the rule %s is a failure that names %s', async (given, command) => {
    const { address } = await ownRedis(onTestFinished, ['--maxmemory', '100mb'])
    const connection = new Redis(address.url)
    await connection.call('ACL', 'SETUSER', 'app', 'on', '>secret', ...given.split(' '))
    connection.disconnect()
    const { code, notOk, output } = await runDoctor({ REDIS_URL: address.url.replace('//', '//app:secret@') })
    expect(notOk).toEqual([`fail  redis rights: refuses ${command}: ${rule}`])
    expect([code, output]).toEqual([1, expect.not.stringContaining('ready check')])
  })

  test('a Redis that accepts no more clients is reported as a failure that says so', async () => {
    const url = await redisWith(lasting)
    const connection = new Redis(url)
    await connection.config('SET', 'maxclients', '1')
    const { notOk } = await runDoctor({ REDIS_URL: url })
    connection.disconnect()
    expect(notOk).toEqual(['fail  redis: accepts no more clients: raise maxclients'])
  })

  test('a Redis that lacks the database named in REDIS_URL is reported as a failure', async () => {
    const { notOk } = await runDoctor({ REDIS_URL: `${redis.url}/99` })
    expect(notOk).toEqual(['fail  redis: REDIS_URL names a database that this Redis does not have'])
  })
})

describe('the key ring', () => {
  const ringOf = (...names: string[]) => names.map((name) => `${name}:${randomBytes(32).toString('base64')}`)

  /** A Redis in which one job has credentials sealed with the first key of a ring. */
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

  test('the key ring decrypts credentials sealed with a key after the first', async () => {
    const [old, next] = ringOf('old', 'next') as [string, string]
    const { code, lines } = await runDoctor({ REDIS_URL: await sealedWith(old), SECRET_KEYS: `${next},${old}` })
    expect(lines).toContain('ok    key ring: "next" encrypts, 2 decrypt; 1 stored credential(s) open')
    expect(code).toBe(0)
  })

  test('the key ring fails when a key was removed while credentials sealed with it remain', async () => {
    const [old, next] = ringOf('old', 'next') as [string, string]
    const { code, output, notOk } = await runDoctor({ REDIS_URL: await sealedWith(old), SECRET_KEYS: next })
    expect(notOk).toEqual([
      'fail  key ring: 1 stored credential(s) were sealed with the key "old", which SECRET_KEYS lacks: add it again, after the first, until they are gone',
    ])
    expect(output).not.toContain(next.split(':')[1])
    expect(code).toBe(1)
  })

  test('the key ring fails when a key was replaced under the same name, and warns of duplicate names', async () => {
    const [first, second, third] = ringOf('k', 'k', 'k') as [string, string, string]
    const { notOk } = await runDoctor({ REDIS_URL: await sealedWith(first), SECRET_KEYS: `${second},${third}` })
    expect(notOk).toEqual([
      'warn  key ring: two keys are named "k", and the second is never used: give each key its own name',
      'fail  key ring: 1 stored credential(s) were sealed with the key "k", but another key has that name now: put the old one back',
    ])
  })
})
