import { describe, expect, test } from 'vitest'
import { lineOf } from '../../../doctor/finding.ts'
import { findingsOf } from '../../../doctor/redis-info.ts'

const sound = {
  redis_version: '7.2.5',
  cluster_enabled: '0',
  role: 'master',
  dragonfly_version: '',
  maxmemory_policy: 'noeviction',
  used_memory: '1048576',
  maxmemory: '104857600',
  aof_enabled: '1',
  aof_last_write_status: 'ok',
}

const info = (change: Partial<typeof sound>) =>
  `# Server\r\n${Object.entries({ ...sound, ...change })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')}`

const notOk = (change: Partial<typeof sound>, settings: Record<string, string> = {}) =>
  [...findingsOf(info(change), settings)].filter(({ level }) => level !== 'ok').map(lineOf)

test('a sound Redis has no findings, even if its settings cannot be read', () => {
  expect(notOk({})).toEqual([])
})

describe('the version', () => {
  test.each(['6.2.0', '7.0.15', '10.0.1'])('the version %s is new enough', (version) => {
    expect(notOk({ redis_version: version })).toEqual([])
  })
  test.each(['6.0.16', '5.0.14', '2.8.24'])('the version %s is too old', (version) => {
    expect(notOk({ redis_version: version })).toEqual([
      `fail  redis version: ${version} is too old: it must be 6.2 or later`,
    ])
  })
})

test('Dragonfly fails', () => {
  expect(notOk({ dragonfly_version: 'df-v1.34.2' })).toEqual([
    'fail  redis role: Dragonfly, which refuses scripts that find keys on the way: use Redis or Valkey',
  ])
})

test('a cluster and a replica fail', () => {
  expect(notOk({ cluster_enabled: '1', role: 'slave' })).toEqual([
    'fail  redis role: a cluster, which splits the keys of a job: use one primary',
    'fail  redis role: a replica, which takes no writes: REDIS_URL must name the primary',
  ])
})

test.each([
  [
    'that cannot write its file fails',
    { aof_last_write_status: 'err' },
    {},
    'fail  redis persistence: the append-only',
  ],
  ['that leaves it to the system warns', {}, { appendfsync: 'no' }, 'warn  redis persistence: append-only file with'],
  ['with snapshots only warns', { aof_enabled: '0' }, { save: '3600 1' }, 'warn  redis persistence: snapshots at most'],
  ['with neither warns', { aof_enabled: '0' }, { save: '' }, 'warn  redis persistence: none: a restart of Redis'],
])('Redis persistence %s', (_name, change, settings, start) => {
  expect(notOk(change, settings as Record<string, string>).map((line) => line.slice(0, start.length))).toEqual([start])
})
