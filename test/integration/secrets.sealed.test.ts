import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import type { SecretKey } from '../../shared/config/lists.ts'
import { createSecrets } from '../../shared/jobs/stored/secrets.ts'
import { secretKeyOf } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
afterAll(() => redis.quit())

const lifetimeSeconds = 600
const key = (id: string): SecretKey => ({ id, key: randomBytes(32) })
const [first, second] = [key('k1'), key('k2')]
/** The encrypted text that is stored with the request of each job. */
const texts = new Map<string, string>()
const secretsWith = (...keys: SecretKey[]) => {
  const secrets = createSecrets(redis, keys)
  return {
    async store(id: string, credentials: readonly string[]) {
      const { sealedKey, text } = secrets.encrypt(id, credentials)
      texts.set(id, text)
      await redis.set(secretKeyOf(id), sealedKey, 'EX', lifetimeSeconds)
    },
    read: async (id: string) => (await secrets.read(id))?.(texts.get(id) ?? '') ?? null,
  }
}

const password = 'correct horse battery staple ü'
const credentials = `Basic ${Buffer.from(`neo4j:${password}`).toString('base64')}`

/** A job with stored credentials. */
async function jobWith(secrets: readonly string[], keys = [first]): Promise<string> {
  const id = randomUUID()
  await secretsWith(...keys).store(id, secrets)
  return id
}

/** Changes one character of the stored text, at a relative position from 0 to 1. */
async function tamper(id: string, at: number): Promise<void> {
  const sealed = (await redis.get(secretKeyOf(id))) ?? ''
  const index = Math.min(sealed.length - 2, Math.floor(at * sealed.length))
  const changed = sealed[index] === 'A' ? 'B' : 'A'
  await redis.set(secretKeyOf(id), sealed.slice(0, index) + changed + sealed.slice(index + 1))
}

describe('a job’s credentials', () => {
  test('a job’s credentials are read as they were stored', async () => {
    const several = [credentials, 'Basic ', 'Basic "\\\n😀']
    expect(await secretsWith(first).read(await jobWith(several))).toEqual(several)
    expect(await secretsWith(first).read(await jobWith([]))).toEqual([])
  })

  test('a job’s credentials are never stored in clear text', async () => {
    const id = await jobWith([credentials, password])
    const stored = [(await redis.get(secretKeyOf(id))) ?? '', texts.get(id) ?? '']
    const decoded = stored
      .join('.')
      .split('.')
      .map((field) => Buffer.from(field, 'base64').toString())
    const traces = [
      password,
      credentials,
      credentials.slice(6),
      'neo4j',
      'Basic',
      'horse',
      first.key.toString('base64'),
    ]
    expect(stored[0]).toMatch(/^k1\.[\w+/=]+\.[\w+/=]+\.[\w+/=]+$/)
    expect(stored[1]).toMatch(/^job\.[\w+/=]+\.[\w+/=]+\.[\w+/=]+$/)
    for (const text of [...stored, ...decoded]) expect(traces.filter((trace) => text.includes(trace))).toEqual([])
  })

  test('a job’s credentials are sealed with fresh randomness, so that equal ones do not look equal', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => jobWith([credentials])))
    const sealed = await Promise.all(ids.map((id) => redis.get(secretKeyOf(id))))
    for (const stored of [sealed, ids.map((id) => texts.get(id))]) {
      expect(new Set(stored.flatMap((text) => text?.split('.').slice(1)))).toHaveLength(60)
    }
  })

  test('a job’s credentials of any number and length use as much of Redis as a single short one', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `Basic ${btoa(`${index}:${'x'.repeat(2_000)}`)}`)
    const ids = [await jobWith([credentials]), await jobWith(many)]
    const [one, hundred] = await Promise.all(ids.map((id) => redis.strlen(secretKeyOf(id))))
    expect(hundred).toBe(one)
    expect(one).toBeLessThan(200)
    expect(await secretsWith(first).read(ids[1] as string)).toEqual(many)
  })

  test('a job’s credentials are null when they expired or were never stored', async () => {
    const id = await jobWith([credentials])
    await redis.pexpire(secretKeyOf(id), 1)
    await expect.poll(() => secretsWith(first).read(id), { timeout: 20_000 }).toBeNull()
    expect(await secretsWith(first).read(randomUUID())).toBeNull()
  })

  test('a job’s credentials do not open under another job’s id', async () => {
    const [id, thief] = [await jobWith([credentials]), randomUUID()]
    await redis.copy(secretKeyOf(id), secretKeyOf(thief))
    texts.set(thief, texts.get(id) as string)
    expect(await secretsWith(first).read(thief)).toBeNull()
    // Nor with another job's data key.
    const own = await jobWith(['other'])
    texts.set(own, texts.get(id) as string)
    expect(await secretsWith(first).read(own)).toBeNull()
    expect(await secretsWith(first).read(id)).toEqual([credentials])
  })

  test.each([0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9])(
    'a job’s credentials do not open when tampered with at %d of their length',
    async (at) => {
      const id = await jobWith([credentials])
      await tamper(id, at)
      expect(await secretsWith(first).read(id)).toBeNull()
    },
  )

  test.each(['', 'k1', 'k1.', 'k1...', 'k1.AAAA.AAAA.AAAA', 'nonsense'])(
    'a job’s credentials are null when replaced by "%s"',
    async (text) => {
      const id = await jobWith([credentials])
      await redis.set(secretKeyOf(id), text)
      expect(await secretsWith(first).read(id)).toBeNull()
    },
  )
})

describe('keys', () => {
  test('keys are rotated: the first encrypts, all configured ones decrypt', async () => {
    const old = await jobWith([credentials], [first])
    const rotated = secretsWith(second, first)
    const fresh = randomUUID()
    await rotated.store(fresh, ['fresh'])
    expect(await Promise.all([old, fresh].map(rotated.read))).toEqual([[credentials], ['fresh']])
    expect((await redis.get(secretKeyOf(fresh)))?.split('.')[0]).toBe('k2')
    expect(await Promise.all([old, fresh].map(secretsWith(second).read))).toEqual([null, ['fresh']])
  })

  test('a key with the same id but other bytes decrypts nothing', async () => {
    const id = await jobWith([credentials])
    expect(await secretsWith(key('k1')).read(id)).toBeNull()
  })
})
