import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { SecretKey } from '../../config/lists.ts'
import { secretKeyOf } from '../../redis/keys.ts'

export interface Encrypted {
  sealedKey: string
  /** One line of ASCII. */
  text: string
  /** Encrypts more texts of the same job, likewise. */
  seal: (texts: readonly string[]) => string
}

/** Decrypts the text that `encrypt` returned; null for any other text. */
export type Decrypt = (text: string) => string[] | null

// Some versions of Node.js are slow with keys of bytes (see `createSigner`), so each becomes a `KeyObject`.
const algorithm = 'aes-256-gcm'

/** The key id in texts that are encrypted with a data key. */
const dataKeyId = 'job'

/**
 * Envelope encryption of the credentials of unfinished jobs. They are stored with the job's request, encrypted with a
 * random data key per job. That key is kept in Redis, sealed with a configured key, and deleted when the job ends,
 * which makes the stored text worthless. So Redis holds the same few bytes for every job. Contract 9.
 */
export function createSecrets(redis: Redis, keys: readonly SecretKey[]) {
  return {
    /** Encrypts the credentials of a new job. @returns the sealed data key for the record, and the text to store. */
    encrypt(jobId: string, credentials: readonly string[]): Encrypted {
      const key = randomBytes(32)
      const sealTexts = (texts: readonly string[]) => seal({ id: dataKeyId, key }, jobId, JSON.stringify(texts))
      return {
        sealedKey: seal(keys[0] as SecretKey, jobId, JSON.stringify({ dataKey: key.toString('base64') })),
        text: sealTexts(credentials),
        seal: sealTexts,
      }
    },
    /** Returns a job's decryptor; null if its data key is gone or the sealing key is no longer configured. */
    async read(jobId: string): Promise<Decrypt | null> {
      const sealed = await redis.get(secretKeyOf(jobId))
      const opened = sealed === null ? null : unseal(keys, jobId, sealed)
      if (opened === null) return null
      const secret: { dataKey: string } = JSON.parse(opened)
      const dataKey = { id: dataKeyId, key: Buffer.from(secret.dataKey, 'base64') }
      return (text) => {
        const credentials = unseal([dataKey], jobId, text)
        return credentials === null ? null : JSON.parse(credentials)
      }
    },
  }
}

export type Secrets = ReturnType<typeof createSecrets>

/** `<key id>.<nonce>.<tag>.<text>`, bound to the job: a text copied to another job cannot be decrypted. */
export function seal({ id, key }: SecretKey, jobId: string, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv(algorithm, createSecretKey(key), nonce).setAAD(Buffer.from(jobId))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [id, ...[nonce, cipher.getAuthTag(), sealed].map((bytes) => bytes.toString('base64'))].join('.')
}

/** The text, or null if none of these keys decrypts it. */
export function unseal(keys: readonly SecretKey[], jobId: string, sealed: string): string | null {
  const [id, ...fields] = sealed.split('.')
  const [nonce, tag, text] = fields.map((field) => Buffer.from(field, 'base64'))
  const key = keys.find((candidate) => candidate.id === id)
  if (!key || !nonce || !tag || !text) return null
  try {
    const decipher = createDecipheriv(algorithm, createSecretKey(key.key), nonce, { authTagLength: 16 })
      .setAAD(Buffer.from(jobId))
      .setAuthTag(tag)
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
