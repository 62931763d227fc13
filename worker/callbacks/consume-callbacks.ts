import { setTimeout as delay } from 'node:timers/promises'
import { DelayedError, type Job, Worker } from 'bullmq'
import type { JobCallback } from '../../shared/jobs/job.ts'
import type { Releases } from '../../shared/lifecycle/releases.ts'
import { callbackAttempted } from '../../shared/observability/events.ts'
import { inSpan } from '../../shared/observability/spans.ts'
import { withTrace } from '../../shared/observability/trace.ts'
import { type HttpsUrl, parseHttpsUrl } from '../../shared/origin/https-url.ts'
import { type CallbackPayload, callbackQueueName } from '../../shared/queue/callbacks.ts'
import { workerOptions } from '../../shared/queue/queue.ts'
import { queuePrefix } from '../../shared/redis/keys.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { WorkerContext } from '../context.ts'
import { callbackFailureOf } from './callback-failure.ts'
import { callbackRequest } from './callback-request.ts'
import { sendCallback } from './send-callback.ts'

/** Times of the deliveries; tests shorten them. */
export interface CallbackTimes {
  /** Pause after each failed attempt but the last. */
  pausesMs: readonly number[]
  /** Random share added to a pause, so that a receiver that recovers does not get all its callbacks at once. */
  jitter: number
  /** Limit of one attempt. */
  limitMs: number
  /** Minimum time between the starts of two attempts in one worker. */
  apartMs: number
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Eight attempts within about a day, as Standard Webhooks advises. */
const usualTimes: CallbackTimes = {
  pausesMs: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour],
  jitter: 0.2,
  /** Time of one attempt of a callback. Beyond this limit the attempt fails, and the worker tries again later. */
  limitMs: 10 * second,
  // Each attempt costs two milliseconds of CPU; thousands at once would slow the jobs down.
  apartMs: 40,
}

/**
 * Time that a receiver of callbacks may ask for in `Retry-After`. Beyond this limit the worker waits only this long.
 */
export const longestRetryAfterMs = 24 * hour

/**
 * Callbacks in progress in one worker. Beyond this limit they wait in their queue. They mostly wait for receivers, and
 * use no slots of jobs.
 */
const concurrency = 16

/**
 * Delivers callbacks from their queue until released, if CALLBACK_ALLOW is set; otherwise they stay due. Contract 7,
 * callbacks.
 */
export async function consumeCallbacks(
  context: WorkerContext,
  releases: Releases,
  times: CallbackTimes = usualTimes,
): Promise<void> {
  const { config, log, redis, callbacks } = context
  if (config.callbacks === null) return
  let startAt = 0
  const deliver = async (delivery: Job<CallbackPayload>, token?: string) => {
    startAt = Math.max(performance.now(), startAt + times.apartMs)
    await delay(startAt - performance.now())
    await deliverCallback(context, delivery, token, times)
  }
  const worker = new Worker<CallbackPayload>(callbackQueueName, deliver, {
    connection: redis,
    prefix: queuePrefix,
    concurrency,
    ...workerOptions(config.worker),
  })
  worker.on('error', (error) => log.warn({ err: error }, 'callback queue'))
  // If this fails, the janitor queues the callback.
  worker.on('completed', ({ data }) => {
    callbacks.ended(data.id).catch((error) => log.warn({ err: error, jobId: data.id }, 'callback queue'))
  })
  await worker.waitUntilReady()
  // Waits for attempts in progress. If an attempt is cut off, another worker repeats it.
  releases.add('callback worker', worker, (it) => it.close())
}

/** Makes one attempt if the record says that it is due: the queue delivers an id at least once, and maybe too often. */
async function deliverCallback(
  context: WorkerContext,
  delivery: Job<CallbackPayload>,
  token: string | undefined,
  { pausesMs, jitter, limitMs }: CallbackTimes,
): Promise<void> {
  const { config, records, callbacks, failpoint } = context
  const { id } = delivery.data
  const [job] = await Promise.all([records.read(id), callbacks.started(delivery)])
  if (!job?.callback || !job.order.callbackUrl || job.callback.state !== 'due') return callbacks.forget(id)
  const settings = config.callbacks
  if (!isFinished(job) || !settings) return
  failpoint('beforeCallback')
  const attempt = job.callback.attempts + 1
  const url = parseHttpsUrl(job.order.callbackUrl) as HttpsUrl
  const startedAt = performance.now()
  const attributes = { 'http.request.method': 'POST', 'http.request.resend_count': attempt - 1 }
  let failure: unknown
  const answer = await inSpan('POST callback', { kind: 'client', parent: job.traceparent, attributes }, async (add) => {
    const answered = await sendCallback(url, callbackRequest(job, settings.secrets), settings, limitMs)
    add({ 'http.response.status_code': answered.status })
    return answered
  }).catch((error) => {
    failure = error
    return null
  })
  failpoint('callbackSent')
  const status = answer?.status ?? null
  const pauseMs = pausesMs[attempt - 1]
  const state = stateAfter(status, pauseMs)
  const wait = Math.max(
    (pauseMs ?? 0) * (1 + jitter * Math.random()),
    Math.min(answer?.retryAfterMs ?? 0, longestRetryAfterMs),
  )
  const isSettled = await callbacks.settle(job, {
    state,
    attempts: attempt,
    lastStatus: status,
    lastFailure: status === null ? callbackFailureOf(failure) : null,
    lastAttemptAt: new Date().toISOString(),
    nextAttemptAt: state === 'due' ? new Date(Date.now() + wait).toISOString() : null,
    host: `${url.host}:${url.port}`,
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const outcome = state === 'due' ? 'delayed' : state
  callbackAttempted(
    withTrace(context, job.traceparent),
    { jobId: id, host: url.host, attempt, outcome, status, seconds },
    failure,
  )
  if (!isSettled || state !== 'due') return
  await callbacks.delay(delivery, token, job, wait)
  await callbacks.ended(id)
  throw new DelayedError()
}

function stateAfter(status: number | null, pauseMs: number | undefined): JobCallback['state'] {
  if (status !== null && status >= 200 && status < 300) return 'delivered'
  return status === 410 || pauseMs === undefined ? 'failed' : 'due'
}
