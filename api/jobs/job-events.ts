import { z } from 'zod'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { orgOfJob } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { eventText } from '../http/event-stream.ts'
import { jobId } from '../http/visible-job.ts'
import { JobFollower, viewOf } from './job-follower.ts'

const running = {
  id: '4f0c8f5e-6f0f-4c53-9f7d-0c8a3c9a1b22',
  kind: 'publish',
  state: 'running',
  orgName: 'demo',
  fileName: 'two-airports.json',
  createdAt: '2026-11-22T12:00:00.000Z',
  startedAt: '2026-11-22T12:00:00.100Z',
  finishedAt: null,
  attempt: 1,
  progress: { phase: 'reading', subRequests: 1, subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 },
  report: null,
  error: null,
  expiresAt: null,
  callback: null,
  paused: null,
  waiting: null,
  failures: [],
} as Partial<JobRecord> as JobRecord
const error = { status: 502, code: 'originUnreachable', message: 'the origin database could not be reached' }
const failed: JobRecord = { ...running, state: 'failed', finishedAt: '2026-11-22T12:00:09.000Z', error }

const exampleOf = (name: string, job: JobRecord) => eventText(name, viewOf(job).version, viewOf(job).data)

/** Contract 7, events. */
export const jobEvents = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs/:id/events',
  summary: 'Follow a job: an event whenever it has changed, and one when it has finished',
  scope: 'publish:read',
  access: orgOfJob,
  params: z.object({ id: jobId }),
  query: z.strictObject({}),
  answers: {
    200: 'Events `job`, whenever it has changed, then `end`, or `gone` if its record is lost; the data of the first two is a Job',
    429: 'Too many requests, or event streams, of this token',
  },
  answer: { events: exampleOf('job', running) + exampleOf('end', failed) },
  async handle({ finished, eventStreams, metrics }, { principal, params, signal }) {
    signal.throwIfAborted()
    const leave = eventStreams(principal.identity, 1)
    metrics.eventStreams.inc()
    const close = () => {
      leave()
      metrics.eventStreams.dec()
    }
    signal.addEventListener('abort', close, { once: true })
    return { kind: 'events', open: (stream) => finished.follow(params.id, new JobFollower(stream)) }
  },
})
