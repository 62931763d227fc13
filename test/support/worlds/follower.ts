import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../../dev/client.ts'
import type { JobProgress, JobRecord } from '../../../shared/jobs/job.ts'
import { isFinished } from '../../../wire/job-states.ts'
import type { Rollbacks } from '../faults/rollbacks.ts'

const pauseMs = 100
const order = ['queued', 'running', 'committing', 'final']
const counts = ['subRequestsDone', 'pairs', 'parts', 'bytes'] as const

export interface FollowOptions {
  limitMs: number
  /** The test stops APIs or Redis, so failed requests are repeated. */
  answersMayFail: boolean
  rollbacks: Rollbacks
}

/**
 * Follows a job until it is finished and checks that attempts never decrease, and that state and progress never go back
 * within one attempt. @returns the job; null when it is gone.
 */
export async function follow(
  client: () => Client,
  location: string,
  onSeen: (job: JobRecord) => void,
  { limitMs, answersMayFail, rollbacks }: FollowOptions,
): Promise<JobRecord | null> {
  let last: JobRecord | null = null
  let lastAskedAt = 0
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await delay(pauseMs)) {
    const askedAt = performance.now()
    const answer = await ask(client, location, answersMayFail)
    if (answer === null) continue
    if (answer.status === 404) return null
    if (answer.status !== 200) throw new Error(`${location}: ${answer.status}`)
    const job = answer.body
    if (last && !rollbacks.hasHappenedSince(lastAskedAt)) mustNotGoBack(last, job)
    last = job
    lastAskedAt = askedAt
    onSeen(job)
    if (isFinished(job)) return job
  }
  throw new Error(`the job at ${location} did not finish in ${limitMs} ms, last seen: ${JSON.stringify(last)}`)
}

async function ask(client: () => Client, location: string, mayFail: boolean) {
  try {
    const answer = await client().get<JobRecord>(location)
    return mayFail && answer.status >= 500 ? null : answer
  } catch (error) {
    if (mayFail) return null
    throw error
  }
}

function mustNotGoBack(last: JobRecord, job: JobRecord): void {
  const isLaterAttempt = job.attempt > last.attempt
  const place = (one: JobRecord) => order.indexOf(isFinished(one) ? 'final' : one.state)
  const less = (count: keyof JobProgress) => job.progress[count] < last.progress[count]
  const wentBack = job.attempt < last.attempt || place(job) < place(last) || counts.some(less)
  if (wentBack && !isLaterAttempt) throw new Error(`went back: ${JSON.stringify([last, job])}`)
}
