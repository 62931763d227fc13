import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import * as errors from '../../../shared/errors/catalogue.ts'
import * as events from '../../../shared/observability/events.ts'
import { createMetrics, type Metrics } from '../../../shared/observability/metrics.ts'
import { parseMetrics } from '../../support/programs/metrics.ts'

let lines: { msg: string }[]
let metrics: Metrics
let observed: events.EventContext
beforeEach(() => {
  lines = []
  metrics = createMetrics()
  observed = { log: pino({}, { write: (line: string) => lines.push(JSON.parse(line)) }), metrics }
})

const run = { jobId: 'j1', attempt: 1 }
const job = { id: 'j1', createdAt: new Date(Date.now() - 7_000).toISOString() }
const attempted = { jobId: 'j1', host: 'hooks.example', attempt: 1, seconds: 0.2 }

/** Each event with its metric increments and its log line. */
const cases: Record<
  string,
  [happens: () => void, moves: [string, Record<string, string>, number][], line: string | null]
> = {
  'a run begins': [
    () => events.runStarted(observed, run),
    [['packets_attempts_total', { attempt: '1' }, 1]],
    'job started',
  ],
  'a run begins for the fifth time': [
    () => events.runStarted(observed, { ...run, attempt: 5 }),
    [['packets_attempts_total', { attempt: 'more' }, 1]],
    'job started',
  ],
  'a run is handed back': [
    () => events.runHandedBack(observed, run),
    [['packets_runs_handed_back_total', {}, 1]],
    'job handed back',
  ],
  'a run fails by an error of the catalogue': [
    () => events.runFailed(observed, { ...run, isSuperseded: false }, errors.originBroke()),
    [['packets_runs_failed_total', { reason: 'originBroke' }, 1]],
    'run failed',
  ],
  'a run fails by anything else': [
    () => events.runFailed(observed, { ...run, isSuperseded: false }, new TypeError('secret-text')),
    [['packets_runs_failed_total', { reason: 'internal' }, 1]],
    'run failed',
  ],
  'a callback is delivered': [
    () => events.callbackAttempted(observed, { ...attempted, outcome: 'delivered', status: 204 }),
    [
      ['packets_callbacks_total', { outcome: 'delivered' }, 1],
      ['packets_callback_seconds_count', { outcome: 'delivered' }, 1],
    ],
    'callback delivered',
  ],
  'a callback is given up': [
    () => events.callbackAttempted(observed, { ...attempted, outcome: 'failed', status: null }, new Error('away')),
    [
      ['packets_callbacks_total', { outcome: 'failed' }, 1],
      ['packets_callback_seconds_count', { outcome: 'failed' }, 1],
    ],
    'callback not delivered',
  ],
  'a job succeeds': [
    () => events.jobFinished(observed, job, { outcome: 'succeeded', isFirst: true }),
    [
      ['packets_jobs_total', { outcome: 'succeeded', reason: '' }, 1],
      ['packets_job_seconds_count', { outcome: 'succeeded' }, 1],
    ],
    'job finished',
  ],
  'a job fails': [
    () => events.jobFinished(observed, job, { outcome: 'failed', reason: 'jobTimedOut', isFirst: true }),
    [
      ['packets_jobs_total', { outcome: 'failed', reason: 'jobTimedOut' }, 1],
      ['packets_job_seconds_count', { outcome: 'failed' }, 1],
    ],
    'job finished',
  ],
  'a job has ended already': [
    () => events.jobFinished(observed, job, { outcome: 'succeeded', isFirst: false }),
    [],
    'job finished',
  ],
  'locks are lost': [
    () => events.locksLost(observed, ['j1', 'j2']),
    [['packets_locks_lost_total', {}, 2]],
    'locks lost',
  ],
  'a job stalls': [
    () => events.jobStalled(observed, 'j1'),
    [['packets_jobs_stalled_total', {}, 1]],
    'job lost its worker and will run again',
  ],
  'a job is put back': [
    () => events.jobRestored(observed, 'j1'),
    [['packets_jobs_restored_total', {}, 1]],
    'job was not in the queue and was added again',
  ],
  'a run is superseded at its commit': [
    () => events.commitLost(observed, 'j1', errors.jobInterrupted()),
    [['packets_commits_lost_total', { reason: 'superseded' }, 1]],
    'commit lost',
  ],
  'another packet was faster': [
    () => events.commitLost(observed, 'j1', errors.fileExists('org', 'file')),
    [['packets_commits_lost_total', { reason: 'taken' }, 1]],
    'commit lost',
  ],
  'a commit has no answer': [
    () => events.commitLost(observed, 'j1', errors.storeAway()),
    [['packets_commits_lost_total', { reason: 'unanswered' }, 1]],
    'commit lost',
  ],
  'a failed job commits too late': [
    () => events.commitLost(observed, 'j1', errors.jobVoided()),
    [['packets_commits_lost_total', { reason: 'voided' }, 1]],
    'commit lost',
  ],
  'a part is stored': [
    () => events.partStored(observed, { pairs: 3, bytes: Buffer.alloc(10) }),
    [
      ['packets_parts_total', {}, 1],
      ['packets_pairs_total', {}, 3],
      ['packets_part_bytes_total', {}, 10],
    ],
    null,
  ],
  'plain files are not brought up to date': [
    () => events.plainFilesFailed(observed, errors.storeAway()),
    [['packets_plain_files_failed_total', {}, 1]],
    'plain files not updated',
  ],
  'leftovers are swept': [
    () => events.swept(observed, { parts: 4, requests: 1 }),
    [
      ['packets_swept_objects_total', { kind: 'parts' }, 4],
      ['packets_swept_objects_total', { kind: 'requests' }, 1],
    ],
    'swept',
  ],
  'a packet is not swept': [
    () => events.packetSkipped(observed, 'org/f', new Error('not JSON')),
    [['packets_unreadable_total', {}, 1]],
    'packet not swept',
  ],
  'the janitor breaks off': [
    () => events.janitorFailed(observed, errors.storeAway()),
    [['packets_janitor_failed_total', {}, 1]],
    'janitor',
  ],
  'an address is refused': [
    () => events.originRefused(observed, 'dbUrlRefused'),
    [['packets_addresses_refused_total', { by: 'address' }, 1]],
    'origin refused by policy',
  ],
  'a port is refused while a job runs': [
    () => events.runFailed(observed, { ...run, isSuperseded: false }, errors.dbUrlPortRefused()),
    [
      ['packets_addresses_refused_total', { by: 'port' }, 1],
      ['packets_runs_failed_total', { reason: 'dbUrlPortRefused' }, 1],
    ],
    'run failed',
  ],
}

describe.each(Object.entries(cases))('when %s', (_name, [happens, moves, line]) => {
  test('the event changes only its metrics, by the expected amounts', async () => {
    const before = parseMetrics(await metrics.registry.metrics())
    happens()
    const after = parseMetrics(await metrics.registry.metrics())
    for (const [name, labels, by] of moves) {
      expect([name, after.sum(name, labels) - before.sum(name, labels)]).toEqual([name, by])
    }
    const moved = [...after.names].filter((name) => /_total$|_count$/.test(name) && name.startsWith('packets_'))
    const others = moved.filter((name) => after.sum(name) !== before.sum(name))
    expect(others.sort()).toEqual([...new Set(moves.map(([name]) => name))].sort())
  })

  test('the line of the event is logged', () => {
    happens()
    expect(lines.at(-1)?.msg ?? null).toBe(line)
  })
})

test('an error that does not lose a commit is not counted', async () => {
  events.commitLost(observed, 'j1', errors.tooManyPairs(1))
  expect(parseMetrics(await metrics.registry.metrics()).sum('packets_commits_lost_total')).toBe(0)
  expect(lines).toEqual([])
})

test('every counter has an event', async () => {
  const counters = (await metrics.registry.getMetricsAsJSON()).filter(({ type }) => String(type) === 'counter')
  const named = counters.map(({ name }) => name).filter((name) => name.startsWith('packets_'))
  const moved = Object.values(cases).flatMap(([, moves]) => moves.map(([name]) => name))
  expect(named.filter((name) => !moved.includes(name))).toEqual([])
})
