import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import * as errors from '../errors/catalogue.ts'
import type { ObserveCall } from './timed.ts'

const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60]
const callBuckets = [0.002, 0.01, 0.05, 0.25, 1, 5, 30]
const jobBuckets = [1, 5, 20, 60, 300, 1_200, 3_600, 14_400]

/** Why a completed run did not become the packet. */
export const commitLosses = ['superseded', 'taken', 'voided', 'unanswered'] as const
/** Outcome of an attempt: the callback was delivered, will be tried again, or failed for good. */
export const callbackOutcomes = ['delivered', 'delayed', 'failed'] as const

/** Counters and sampled gauges of one process. Labels have few values: never ids or names of clients. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  // Includes event-loop lag, memory and start time.
  collectDefaultMetrics({ register: registry })

  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name: `packets_${name}`, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name: `packets_${name}`, help, labelNames, registers })
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram<Label>({ name: `packets_${name}`, help, buckets, labelNames, registers })

  const metrics = {
    registry,
    // Requests
    requests: histogram(
      'http_request_seconds',
      'Time from request to answer',
      requestBuckets,
      'method',
      'route',
      'status',
    ),
    eventStreams: gauge('event_streams', 'Open event streams of jobs'),
    eventStreamsLimit: gauge('event_streams_limit', 'Most open event streams of an API; 0 for a worker'),
    addressesRefused: counter('addresses_refused_total', 'Origins refused by policy before a connection', 'by'),
    // Jobs
    jobs: counter('jobs_total', 'Jobs that ended, by outcome and the code of their error', 'outcome', 'reason'),
    jobSeconds: histogram('job_seconds', 'Time from the acceptance of a job to its end', jobBuckets, 'outcome'),
    attempts: counter('attempts_total', 'Runs of jobs begun: 1, 2, 3 or more', 'attempt'),
    runsFailed: counter(
      'runs_failed_total',
      'Runs that failed, tried again or not, by the code of their error',
      'reason',
    ),
    handedBack: counter('runs_handed_back_total', 'Runs that this worker handed back to the queue'),
    locksLost: counter('locks_lost_total', 'Locks that this worker could not renew in time'),
    stalled: counter('jobs_stalled_total', 'Jobs found without the worker that held them'),
    restored: counter('jobs_restored_total', 'Jobs that were restored because the queue had lost them'),
    commitsLost: counter('commits_lost_total', 'Complete runs that did not become the packet, by reason', 'reason'),
    busySlots: gauge('busy_slots', 'Runs under way in this worker'),
    slots: gauge('slots', 'Runs that this worker takes at a time'),
    // Callbacks
    callbacks: counter('callbacks_total', 'Attempts to deliver callbacks, by outcome', 'outcome'),
    callbackSeconds: histogram('callback_seconds', 'Time of an attempt to deliver a callback', callBuckets, 'outcome'),
    // Packets
    parts: counter('parts_total', 'Parts staged in the object store'),
    pairs: counter('pairs_total', 'Statement/parameter pairs staged'),
    bytes: counter('part_bytes_total', 'Bytes of parts staged, before compression'),
    plainFilesFailed: counter('plain_files_failed_total', 'Failed updates of plain files'),
    swept: counter('swept_objects_total', 'Leftover objects that the janitor removed', 'kind'),
    unreadable: counter('unreadable_total', 'Packets that a sweep skipped because it could not read a manifest'),
    janitorFailed: counter('janitor_failed_total', 'Rounds of the janitor that failed'),
    // Dependencies
    storeCalls: histogram(
      'store_request_seconds',
      'Time of a request to the object store, of a download to its first byte',
      callBuckets,
      'operation',
      'outcome',
    ),
    boltCalls: histogram(
      'bolt_seconds',
      'Time to connect to a graph database, or of one query',
      callBuckets,
      'database',
      'operation',
      'outcome',
    ),
    originsKept: gauge('origins_kept', 'Origins whose connections wait for the next publish'),
    // Each process has its own value: aggregate by minimum, or an outage that only one process sees is hidden
    signingKeysFailing: gauge('signing_keys_failing', 'Whether the last fetch of the signing keys of tokens failed'),
    dependencyUp: gauge('dependency_up', 'Whether a dependency answers this process', 'dependency'),
    // Identical in every process: aggregate by maximum, not by sum
    queueJobs: gauge('queue_jobs', 'Entries of the queue by state', 'state'),
    queuePaused: gauge('queue_paused', 'Whether the queue is paused, so that no new run starts'),
    openRuns: gauge('open_runs', 'Runs of unfinished jobs: one for each publish, more for a large multi'),
    queueLimit: gauge('queue_limit_jobs', 'Open runs at which publishes get 503'),
    oldestQueued: gauge('oldest_queued_seconds', 'Age of the oldest publish that no worker has begun'),
    redisMemory: gauge('redis_memory_bytes', 'Memory that Redis uses'),
    redisMemoryLimit: gauge('redis_memory_limit_bytes', 'Memory that Redis may use; 0: no limit'),
    redisEvicts: gauge('redis_evicts', 'Whether Redis may evict keys, and so lose jobs'),
    lastSweep: gauge('last_sweep_timestamp_seconds', 'When everything was last swept; 0: not within a day'),
  }
  const { callbacks, jobs, commitsLost, addressesRefused, attempts } = metrics
  // Initialize counters to 0: Prometheus would miss the first increment of a counter that appears with it.
  for (const reason of Object.keys(errors)) jobs.inc({ outcome: 'failed', reason }, 0)
  for (const outcome of ['succeeded', 'cancelled']) jobs.inc({ outcome, reason: '' }, 0)
  for (const reason of commitLosses) commitsLost.inc({ reason }, 0)
  for (const outcome of callbackOutcomes) callbacks.inc({ outcome }, 0)
  for (const by of ['address', 'port']) addressesRefused.inc({ by }, 0)
  for (const attempt of ['1', '2', '3', 'more']) attempts.inc({ attempt }, 0)
  return metrics
}

export type Metrics = ReturnType<typeof createMetrics>

export const observeStore =
  ({ storeCalls }: Metrics): ObserveCall =>
  (operation, outcome, seconds) =>
    storeCalls.observe({ operation, outcome }, seconds)

export const observeBolt =
  ({ boltCalls }: Metrics, database: 'origin' | 'manager'): ObserveCall =>
  (operation, outcome, seconds) =>
    boltCalls.observe({ database, operation, outcome }, seconds)
