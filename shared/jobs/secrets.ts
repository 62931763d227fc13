import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { SecretKey } from '../config/lists.ts'
import { secretKeyOf } from './redis-keys.ts'

/** Credentials of jobs under way, apart from everything else, encrypted, gone when the job ends. Contract 9. */
export interface Secrets {
  store(jobId: string, secrets: readonly string[]): Promise<void>
  /** null when they expired, or the key that encrypted them is no longer configured. */
  read(jobId: string): Promise<string[] | null>
}

const algorithm = 'aes-256-gcm'

/** @param lifetimeSeconds how long an unfinished job's secrets are kept at most. */
export function createSecrets(redis: Redis, keys: readonly SecretKey[], lifetimeSeconds: number): Secrets {
  return {
    async store(jobId, secrets) {
      const sealed = seal(keys[0] as SecretKey, jobId, JSON.stringify(secrets))
      await redis.set(secretKeyOf(jobId), sealed, 'EX', lifetimeSeconds)
    },
    async read(jobId) {
      const sealed = await redis.get(secretKeyOf(jobId))
      const text = sealed === null ? null : unseal(keys, jobId, sealed)
      return text === null ? null : JSON.parse(text)
    },
  }
}

/** `<key id>.<nonce>.<tag>.<text>`, bound to the job: a text copied to another job's key does not open. */
export function seal({ id, key }: SecretKey, jobId: string, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(jobId))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [id, ...[nonce, cipher.getAuthTag(), sealed].map((bytes) => bytes.toString('base64'))].join('.')
}

/** The text, or null when no configured key opens it. */
export function unseal(keys: readonly SecretKey[], jobId: string, sealed: string): string | null {
  const [id, ...fields] = sealed.split('.')
  const [nonce, tag, text] = fields.map((field) => Buffer.from(field, 'base64'))
  const key = keys.find((candidate) => candidate.id === id)
  if (!key || !nonce || !tag || !text) return null
  try {
    const decipher = createDecipheriv(algorithm, key.key, nonce, { authTagLength: 16 })
      .setAAD(Buffer.from(jobId))
      .setAuthTag(tag)
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
