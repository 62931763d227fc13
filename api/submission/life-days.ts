import type { LimitSettings } from '../../shared/config/config.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Submission } from '../../shared/jobs/job.ts'

/**
 * How many days a packet lives: as many as the request says, or else `PACKET_RETENTION_DAYS`; null: for ever.
 * @throws invalidRequest (400) if the request asks for more than `PACKET_RETENTION_DAYS`
 */
export function lifeDays(
  asked: number | null | undefined,
  { retentionDays }: LimitSettings,
  path = 'expiresAfterDays',
): number | null {
  if (asked && retentionDays !== null && asked > retentionDays) {
    const message = `must be at most ${retentionDays}, the PACKET_RETENTION_DAYS of this service`
    throw errors.invalidRequest([{ path, message }])
  }
  return asked ?? retentionDays
}

/** How many days the packet of a publish or multi lives. */
export function lifeDaysOf(submission: Submission, limits: LimitSettings): number | null {
  const first = submission.requests.findIndex(({ expiresAfterDays }) => expiresAfterDays !== undefined)
  const at = submission.kind === 'multi' ? `[${first}].` : ''
  return lifeDays(submission.requests[first]?.expiresAfterDays, limits, `${at}expiresAfterDays`)
}
