import type { Redis } from 'ioredis'
import { isErrorReply, RedisRefusal, refusalOf } from '../shared/errors/redis-refusal.ts'
import { withTimeout } from '../shared/lifecycle/timeout.ts'
import { connectProducer } from '../shared/redis/connect.ts'
import { requireChannel, requireRights } from '../shared/redis/rights.ts'
import { type Check, codeOf, type Finding, fail, ok } from './finding.ts'
import { firstWordsOf } from './first-words.ts'
import { checkKeys } from './keys.ts'
import { findingsOf } from './redis-info.ts'

const limitMs = 10_000

/**
 * Checks that Redis answers, is recent enough and durable, allows what the programs do, and that the key ring decrypts
 * the credentials in it.
 */
export const checkRedis: Check = async function* ({ redis: address, secretKeys }) {
  let last: unknown
  const redis = connectProducer(address, {
    warn(fields) {
      const { err } = fields as { err?: unknown }
      // A server's own words say more than the closed connection that follows them.
      if (!isErrorReply(last)) last = err
    },
  })
  // The client would skip this check of its own without INFO, and print that.
  redis.options.enableReadyCheck = false
  let info: string
  try {
    // With Sentinels the client asks them again and again.
    await withTimeout(redis.connect(), limitMs)
    // If the configured database is refused, the client continues in database 0.
    await redis.select(redis.options.db ?? 0)
    info = await redis.info()
  } catch (error) {
    redis.disconnect()
    return yield unreachable(isErrorReply(error) ? error : (last ?? error), await wordsOf(redis, address.sentinel))
  }
  try {
    let isFit = true
    for (const finding of findingsOf(info, await settingsOf(redis))) {
      yield finding
      if (finding.level === 'fail') isFit = false
    }
    const rights = isFit ? await checkRights(redis) : null
    if (rights !== null) yield rights
    if (rights?.level !== 'fail') yield* checkKeys(redis, secretKeys)
  } finally {
    redis.disconnect()
  }
}

const ruleOfUser = 'the rule for its user is in docs/operations.md, "Rights of the Redis user"'

async function checkRights(redis: Redis): Promise<Finding> {
  try {
    await requireRights(redis)
    await requireChannel(redis)
    return ok('redis rights', 'all that the programs need')
  } catch (error) {
    if (!(error instanceof RedisRefusal)) throw error
    return refused(error.command, error)
  }
}

function refused(command: string, error: unknown): Finding {
  if (refusalOf(error)?.cause === 'rights') return fail('redis rights', `refuses ${command}: ${ruleOfUser}`)
  const code = /\b[A-Z]{3,}\b/.exec(error instanceof RedisRefusal ? (error.cause as Error).message : '')?.[0]
  return fail('redis', `refuses ${command}${code === undefined ? '' : ` (${code})`}`)
}

/** The words with which a Redis that has too many clients closes a connection. The client loses them. */
async function wordsOf({ options }: Redis, sentinel: unknown): Promise<string> {
  return sentinel === null ? firstWordsOf(options.host ?? '', options.port ?? 0) : ''
}

function unreachable(error: unknown, firstWords: string): Finding {
  const text = error instanceof Error ? error.message : ''
  const { command } = (error ?? {}) as { command?: { name: string } }
  if (/^ERR DB index/.test(text)) return fail('redis', 'REDIS_URL names a database that this Redis does not have')
  if (/^LOADING/.test(text)) return fail('redis', 'is still reading its data from disk: wait until it has')
  if (/max number of clients/.test(firstWords)) return fail('redis', 'accepts no more clients: raise maxclients')
  if (/^(WRONGPASS|NOAUTH|ERR invalid password)/.test(text)) {
    return fail('redis', 'refuses the user or the password in REDIS_URL')
  }
  if (isErrorReply(error) && command !== undefined) return refused(command.name.toUpperCase(), error)
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
