import { AppError } from '../errors/app-error.ts'
import type { Logger } from './log.ts'
import type { callbackOutcomes, commitLosses, Metrics } from './metrics.ts'

/** Events: each writes one log line and increments a counter. Logs name jobs, metrics never do. */
export interface EventContext {
  log: Logger
  metrics: Metrics
}

/** A run of a job or of one of its slices. */
interface RunOf {
  jobId: string
  slice?: number | undefined
  attempt: number
}

export function runStarted({ log, metrics }: EventContext, run: RunOf): void {
  metrics.attempts.inc({ attempt: run.attempt > 3 ? 'more' : String(run.attempt) })
  log.info(run, 'job started')
}

type CounterOfOne = 'handedBack' | 'stalled' | 'restored' | 'plainFilesFailed' | 'unreadable' | 'janitorFailed'

/** An event without labels, which counts as one. `fieldsOf` says what its line holds. */
const plain =
  <V extends unknown[]>(
    counter: CounterOfOne,
    level: 'info' | 'warn',
    text: string,
    fieldsOf: (...values: V) => object,
  ) =>
  ({ log, metrics }: EventContext, ...values: V): void => {
    metrics[counter].inc()
    log[level](fieldsOf(...values), text)
  }

const ofJob = (jobId: string) => ({ jobId })
const ofError = (err: unknown) => ({ err })
export const runHandedBack = plain('handedBack', 'info', 'job handed back', (run: RunOf) => run)
export const jobStalled = plain('stalled', 'warn', 'job lost its worker and will run again', ofJob)
export const jobRestored = plain('restored', 'warn', 'job was not in the queue and was added again', ofJob)
export const plainFilesFailed = plain('plainFilesFailed', 'warn', 'plain files not updated', ofError)
export const janitorFailed = plain('janitorFailed', 'warn', 'janitor', ofError)
/** A sweep has skipped a packet that it cannot read. */
export const packetSkipped = plain('unreadable', 'warn', 'packet not swept', (packet: string, err: unknown) => ({
  packet,
  err,
}))

export function runFailed(observed: EventContext, run: RunOf & { isSuperseded: boolean }, error: unknown): void {
  const reason = codeOf(error)
  observed.metrics.runsFailed.inc({ reason })
  originRefused(observed, reason)
  observed.log.warn({ ...run, err: error }, 'run failed')
}

export interface JobEnd {
  outcome: 'succeeded' | 'failed' | 'cancelled'
  /** Error code of a failed job. */
  reason?: string
  /** False if another run of the job has already recorded an end: only the first counts. */
  isFirst: boolean
}

export function jobFinished({ log, metrics }: EventContext, job: { id: string; createdAt: string }, end: JobEnd): void {
  const { outcome, reason = '', isFirst } = end
  if (isFirst) {
    metrics.jobs.inc({ outcome, reason })
    metrics.jobSeconds.observe({ outcome }, Math.max(0, Date.now() - Date.parse(job.createdAt)) / 1_000)
  }
  log.info({ jobId: job.id, ...end }, 'job finished')
}

interface CallbackAttempt {
  jobId: string
  /** Only the host, because the rest of the URL may be private. */
  host: string
  attempt: number
  outcome: (typeof callbackOutcomes)[number]
  /** null: there was no answer. */
  status: number | null
  seconds: number
}

export function callbackAttempted({ log, metrics }: EventContext, attempted: CallbackAttempt, error?: unknown): void {
  const { outcome, seconds } = attempted
  metrics.callbacks.inc({ outcome })
  metrics.callbackSeconds.observe({ outcome }, seconds)
  const fields = error === undefined ? attempted : { ...attempted, err: error }
  if (outcome === 'delivered') log.info(fields, 'callback delivered')
  else log.warn(fields, 'callback not delivered')
}

/** Jobs whose lock was not renewed in time: other workers may be running them. */
export function locksLost({ log, metrics }: EventContext, jobIds: readonly string[]): void {
  metrics.locksLost.inc(jobIds.length)
  log.warn({ jobIds }, 'locks lost')
}

const lossOf: Record<string, (typeof commitLosses)[number]> = {
  jobInterrupted: 'superseded',
  fileExists: 'taken',
  jobVoided: 'voided',
  storeAway: 'unanswered',
}

/** A completed run did not become the packet. If the store did not answer, it may still do so. */
export function commitLost({ log, metrics }: EventContext, jobId: string, error: unknown): void {
  const reason = lossOf[codeOf(error)]
  if (reason === undefined) return
  metrics.commitsLost.inc({ reason })
  log.warn({ jobId, reason }, 'commit lost')
}

/** Counts a part. There may be thousands per minute, so this logs nothing. */
export function partStored(
  { metrics }: Pick<EventContext, 'metrics'>,
  part: { pairs: number; bytes: Uint8Array },
): void {
  metrics.parts.inc()
  metrics.pairs.inc(part.pairs)
  metrics.bytes.inc(part.bytes.length)
}

export function swept({ log, metrics }: EventContext, removed: Record<string, number>): void {
  for (const [kind, count] of Object.entries(removed)) metrics.swept.inc({ kind }, count)
  log.info(removed, 'swept')
}

const refusedBy: Record<string, string> = { dbUrlRefused: 'address', dbUrlPortRefused: 'port' }

/** Ignores all other error codes. */
export function originRefused({ log, metrics }: EventContext, code: string): void {
  const by = refusedBy[code]
  if (by === undefined) return
  metrics.addressesRefused.inc({ by })
  log.warn({ by }, 'origin refused by policy')
}

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'internal')
