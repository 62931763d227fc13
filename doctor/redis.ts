import type { Redis } from 'ioredis'
import { connectProducer } from '../shared/jobs/redis.ts'
import { withTimeout } from '../shared/lifecycle/timeout.ts'
import { type Check, codeOf, type Finding, fail } from './finding.ts'
import { checkKeys } from './keys.ts'
import { findingsOf } from './redis-info.ts'

const limitMs = 10_000

/** Checks that Redis answers, is recent enough and durable, and that the key ring decrypts the credentials in it. */
export const checkRedis: Check = async function* ({ redis: address, secretKeys }) {
  let last: unknown
  const redis = connectProducer(address, { warn: (fields) => (last = (fields as { err?: unknown }).err) })
  try {
    // With Sentinels the client asks them again and again.
    await withTimeout(redis.connect(), limitMs)
    // If the configured database is refused, the client continues in database 0.
    await redis.select(redis.options.db ?? 0)
  } catch (error) {
    redis.disconnect()
    return yield unreachable(isReply(error) ? error : (last ?? error))
  }
  try {
    yield* findingsOf(await redis.info(), await settingsOf(redis))
    yield* checkKeys(redis, secretKeys)
  } finally {
    redis.disconnect()
  }
}

const isReply = (error: unknown) => error instanceof Error && error.name === 'ReplyError'

function unreachable(error: unknown): Finding {
  const reply = /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR DB index|LOADING)/.exec(
    error instanceof Error ? error.message : '',
  )?.[1]
  if (reply?.includes('DB index')) return fail('redis', 'REDIS_URL names a database that this Redis does not have')
  if (reply === 'LOADING') return fail('redis', 'is still reading its data from disk: wait until it has')
  if (reply !== undefined) return fail('redis', 'refuses the user or the password in REDIS_URL')
  return fail('redis', `does not answer (${codeOf(error)}): check REDIS_URL, and that Redis runs`)
}

/** The settings; empty if the provider forbids reading them. */
async function settingsOf(redis: Redis): Promise<Record<string, string>> {
  const ask = async (name: string) => (await redis.config('GET', name)) as string[]
  try {
    const found = [...(await ask('save')), ...(await ask('appendfsync'))]
    return Object.fromEntries(found.flatMap((name, at) => (at % 2 === 0 ? [[name, found[at + 1] ?? '']] : [])))
  } catch {
    return {}
  }
}
