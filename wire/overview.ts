import { z } from 'zod'

export const pauseBody = z
  .object({ since: z.iso.datetime().nullable(), by: z.string().nullable() })
  .nullable()
  .meta({ description: 'Who paused the queue, and when; null if it is not paused' })

const count = z.int().nonnegative()
export const overviewBody = z.object({
  dependencies: z.record(z.string(), z.enum(['up', 'down'])),
  queue: z
    .object({
      waiting: count,
      delayed: count,
      running: count,
      waitingForSlices: count,
      openRuns: count,
      openRunsLimit: count,
      oldestWaitSeconds: z.number(),
      callbacksDue: count,
      paused: pauseBody,
    })
    .nullable()
    .meta({ description: 'Null while Redis does not answer, as what follows' }),
  workers: z.object({ count, slots: count, busy: count }).nullable(),
  jobs: z
    .object({ queued: count, running: count, committing: count })
    .nullable()
    .meta({ description: 'Unfinished jobs by state, as their lists show them; a job may have many deliveries' }),
  orgs: z
    .array(z.object({ orgName: z.string(), running: count, openRuns: count }))
    .nullable()
    .meta({ description: 'First segments of the orgs with open runs or busy slots, the busiest first, at most 50' }),
  lastHour: z
    .object({ succeeded: count, failed: count, cancelled: count, pairs: count, callbacksFailed: count })
    .nullable()
    .meta({ description: 'Jobs that ended in the last 60 minutes, pairs of their packets, and callbacks given up' }),
  redis: z.object({ memoryBytes: count, memoryLimitBytes: count }).nullable(),
  dashboardUrl: z.string().nullable().meta({ description: 'The dashboard of the setting CONSOLE' }),
  lastSweep: z.iso.datetime().nullable().meta({ description: 'Null if nothing was swept within a day' }),
})

export type Overview = z.infer<typeof overviewBody>
