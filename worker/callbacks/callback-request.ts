import { Webhook } from 'standardwebhooks'
import type { SecretKey } from '../../shared/config/lists.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { currentTraceparent } from '../../shared/observability/spans.ts'
import { jobView } from '../../wire/job.ts'

/** Bytes of the body of a callback. Beyond this limit the callback has no `report`, and a shortened error message. */
const limitBytes = 16 * 1024
/** Characters of the error message in a callback that would be too large. Beyond this limit the message is cut off. */
const longestMessage = 1_000

/**
 * The request that reports a job's end to a receiver, signed with each secret as Standard Webhooks specifies. Every
 * attempt has the same id and body. Contract 7, callbacks.
 */
export function callbackRequest(job: JobRecord, secrets: readonly SecretKey[], at = new Date()) {
  const id = `${job.id}.${job.state}`
  const body = bodyOf(job)
  const traceparent = currentTraceparent() ?? job.traceparent
  const signatures = secrets.map(({ key }) => new Webhook(key, { format: 'raw' }).sign(id, at, body))
  return {
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'User-Agent': 'graph-packets',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
      // Without an OpenTelemetry SDK the header of the publish is passed on.
      ...(traceparent ? { traceparent } : {}),
    },
    body,
  }
}

function bodyOf(job: JobRecord): string {
  const { id, orgName, fileName, state, finishedAt, error } = job
  const packet = `/1.0/publish/${encodeURIComponent(orgName)}/${encodeURIComponent(fileName)}`
  const links = { result: `/1.0/jobs/${id}/result`, manifest: state === 'succeeded' ? `${packet}/manifest` : null }
  const { callback: _, paused: __, waiting: ___, failures: ____, ...view } = jobView(job) as Record<string, unknown>
  const textOf = (changes: object) =>
    JSON.stringify({ type: `job.${state}`, timestamp: finishedAt, data: { ...view, ...changes, ...links } })
  const whole = textOf({})
  if (Buffer.byteLength(whole) < limitBytes) return whole
  const short = error && { ...error, message: error.message.slice(0, longestMessage) }
  return textOf({ report: null, error: short })
}
