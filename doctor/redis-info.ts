import { infoField } from '../shared/redis/connect.ts'
import { outdatedVersion, unsupportedServer, versionOf } from '../shared/redis/fit.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const warningShare = 0.8

/** Findings from Redis's INFO, and from its settings `save` and `appendfsync` if they are readable. */
export function* findingsOf(info: string, settings: Record<string, string>): Generator<Finding> {
  const field = (name: string) => infoField(info, name)
  yield version(info)
  yield* role(unsupportedServer(info), field('role'))
  yield policy(field('maxmemory_policy'))
  yield memory(Number(field('used_memory')), Number(field('maxmemory')))
  yield persistence(field('aof_enabled') === '1', field('aof_last_write_status'), settings)
}

function version(info: string): Finding {
  const outdated = outdatedVersion(info)
  return outdated === null ? ok('redis version', versionOf(info)) : fail('redis version', outdated)
}

function* role(unsupported: string | null, role: string): Generator<Finding> {
  if (unsupported !== null) yield fail('redis role', unsupported)
  if (role !== 'master') yield fail('redis role', 'a replica, which takes no writes: REDIS_URL must name the primary')
}

function policy(text: string): Finding {
  if (text === 'noeviction') return ok('redis eviction policy', text)
  return fail('redis eviction policy', `${text || 'unknown'} loses jobs: set maxmemory-policy noeviction`)
}

function memory(used: number, most: number): Finding {
  const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`
  if (most === 0) {
    return warn('redis memory', `${mebibytes(used)} without a limit: set maxmemory below the memory of the machine`)
  }
  const message = `${mebibytes(used)} of ${mebibytes(most)}`
  if (used < most * warningShare) return ok('redis memory', message)
  return warn('redis memory', `${message}: a full Redis accepts no publish; raise maxmemory`)
}

function persistence(hasLog: boolean, lastWrite: string, { save, appendfsync }: Record<string, string>): Finding {
  const subject = 'redis persistence'
  if (hasLog && lastWrite !== '' && lastWrite !== 'ok') {
    return fail(subject, 'the append-only file cannot be written: look at the disk of Redis')
  }
  if (hasLog && appendfsync === 'no') {
    return warn(subject, 'append-only file with appendfsync no loses up to half a minute: set appendfsync everysec')
  }
  if (hasLog) return ok(subject, `append-only file${appendfsync ? `, appendfsync ${appendfsync}` : ''}`)
  const lost = save === '' ? 'none: a restart of Redis loses all jobs' : 'snapshots at most: a crash loses jobs'
  return warn(subject, `${lost}; set appendonly yes`)
}
