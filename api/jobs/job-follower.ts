import { hash } from 'node:crypto'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Follower } from '../../shared/jobs/finish-waiter.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { jobView } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import { errorBody } from '../http/error-handler.ts'
import { type EventStream, eventText } from '../http/event-stream.ts'

// Ticks are about 500 ms apart; the first event of a stream and the next tick may be closer.
const leastGapMs = 400

const goneText = eventText('gone', '', errorBody(errors.noSuchJob(), '').body)
const views = new WeakMap<JobRecord, { version: string; data: string }>()

/** The JSON of a job and its digest, made once for all streams that send the same record. */
export function viewOf(job: JobRecord): { version: string; data: string } {
  const known = views.get(job)
  if (known) return known
  const data = JSON.stringify(jobView(job))
  const view = { version: hash('sha256', data, 'base64url').slice(0, 16), data }
  views.set(job, view)
  return view
}

/** Sends a job to an event stream: at once, after each change, and at its end. Contract 7, events. */
export class JobFollower implements Follower {
  readonly #stream: EventStream
  #sentVersion: string | null = null
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(stream: EventStream) {
    this.#stream = stream
  }

  see(job: JobRecord | null): void {
    if (job === null) {
      this.#stream.end(goneText)
      return
    }
    const { version, data } = viewOf(job)
    const event = (name: string) => eventText(name, version, data)
    if (isFinished(job)) {
      this.#stream.end(this.#sentVersion === null ? event('job') + event('end') : event('end'))
    } else if (version !== this.#sentVersion && performance.now() - this.#sentAt >= leastGapMs) {
      this.#stream.send(event('job'))
      this.#sentVersion = version
      this.#sentAt = performance.now()
    }
  }

  tick(): void {
    this.#stream.keepAlive()
  }

  release(): void {
    this.#stream.interrupt()
  }
}
