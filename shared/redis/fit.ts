import type { Redis } from 'ioredis'
import { refusalOf } from '../errors/redis-refusal.ts'
import { withTimeout } from '../lifecycle/timeout.ts'
import { infoField } from './connect.ts'
import { requireChannel, requireRights } from './rights.ts'

/**
 * Time that the first connection may take. Beyond this limit the program ends. With Sentinels the client would try for
 * ever.
 */
const firstConnectionMs = 30_000

/** Opens the first connection of a program. @throws Error if Redis is not reached, or unfit */
export async function openRedis(redis: Redis): Promise<void> {
  let refused: Error | undefined
  redis.on('error', (error) => {
    refused ??= error
  })
  await withTimeout(redis.connect(), firstConnectionMs).catch((error) => {
    // The client only says that the connection was closed.
    throw refused ?? error
  })
  await requireFitRedis(redis)
}

/**
 * Requires one primary that keeps all keys, the configured database, and the rights that the work needs.
 * @throws Error naming what is unfit or which command is refused, or Redis's own error
 */
export async function requireFitRedis(redis: Redis): Promise<void> {
  // If the configured database is refused, the client only logs it and continues in database 0.
  await redis.select(redis.options.db ?? 0)
  const info = await redis.info()
  const unfit = unsupportedServer(info)
  if (unfit !== null) throw new Error(`Redis is ${unfit}`)
  const outdated = outdatedVersion(info)
  if (outdated !== null) throw new Error(`Redis ${outdated}`)
  const policy = infoField(info, 'maxmemory_policy')
  if (policy !== 'noeviction') {
    throw new Error(
      `Redis has maxmemory-policy ${policy}, which would evict jobs; set it to noeviction: in redis.conf, or with CONFIG SET maxmemory-policy noeviction`,
    )
  }
  try {
    await requireRights(redis)
    await requireChannel(redis)
  } catch (error) {
    // A Redis that is full, or that a failover replaces, must not end its programs: they report it in `/readyz`.
    const remedy = refusalOf(error)?.remedy
    if (remedy !== 'later' && remedy !== 'reconnect') throw error
  }
}

/**
 * Why the service cannot run on a server with this INFO; null if it can. Scripts change a job's record, its claim and
 * lists of keys that they find on the way, all at once, so one server must hold all keys and allow undeclared ones.
 */
export function unsupportedServer(info: string): string | null {
  // `redis_mode` of Redis is called `server_mode` in Valkey.
  if (infoField(info, 'cluster_enabled') === '1') return 'a cluster, which splits the keys of a job: use one primary'
  if (infoField(info, 'dragonfly_version') === '') return null
  return 'Dragonfly, which refuses scripts that find keys on the way: use Redis or Valkey'
}

/** Earlier versions lack the options BYSCORE and REV of ZRANGE. */
const minVersion = [6, 2] as const

/** Why the version is too old; null if it is not. */
export function outdatedVersion(info: string): string | null {
  const text = infoField(info, 'redis_version')
  const [major = 0, minor = 0] = text.split('.').map(Number)
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return null
  return `${text || 'of an unknown version'} is too old: it must be ${minVersion.join('.')} or later`
}

/** The version to show. Valkey's `redis_version` only says with which Redis it is compatible. */
export function versionOf(info: string): string {
  const valkey = infoField(info, 'valkey_version')
  return valkey === '' ? infoField(info, 'redis_version') : `Valkey ${valkey}`
}
