import { z } from 'zod'
import { type FailpointSetting, parseFailpoint } from './failpoint.ts'

const seconds = (fixed: number) => z.number().positive().max(2_000_000).default(fixed)
const count = (fixed: number) => z.int().positive().default(fixed)

/** Limits and times that operators do not set. Tests replace them through `TEST_OVERRIDES`, a JSON object. */
const fixed = z.strictObject({
  /** How long jobs may wait while a worker has a free slot, before /livez fails. */
  livenessSeconds: seconds(60),
  /** How often the janitor of a worker runs each of its duties. */
  janitorSeconds: seconds(60),
  /** How often workers look for jobs whose lock has expired, unless half of the lock's duration is shorter. */
  stalledSeconds: seconds(5),
  /** How long a job waits before the next try if the store or Redis is unavailable, or if it needs a newer worker. */
  retrySeconds: seconds(5),
  /** The shortest time between two fetches of signing keys because of an unknown key. */
  jwksCooldownSeconds: seconds(30),
  /** How long the last known signing keys stay valid while they cannot be fetched. */
  jwksStaleSeconds: seconds(14_400),
  /** How long an origin may send neither a row nor the end of an answer. */
  originStallSeconds: seconds(900),
  /** How long a request to the object store may make no progress. */
  storeTimeoutSeconds: seconds(20),
  /** How long a dry run reads. */
  dryRunSeconds: seconds(20),
  /** Pairs that a returnOnly packet may have, and that a dry run counts. */
  returnOnlyPairs: count(50_000),
  /** Most returnOnly packets at a time in one API (beyond: 503); one token may use half (beyond: 429). */
  returnOnlyAtOnce: count(32),
  /** Most open event streams in one API (beyond: 503); one token may use half (beyond: 429). */
  eventStreams: count(2_000),
  /** Most bytes of unanswered request bodies in one API (beyond: 503); one token may use half (beyond: 429). */
  bodyBytes: count(256 * 1024 * 1024),
  /** Where a test interrupts a worker: `<step>:<kill, stop or block>[:<count>]`. */
  failpoint: z
    .string()
    .transform((text, context): FailpointSetting => {
      try {
        return parseFailpoint(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    })
    .nullable()
    .default(null),
})

/** The values that a test may replace, before their defaults are applied. */
export type Overrides = z.input<typeof fixed>

/** The fixed values, replaced by the values in `text`. @throws {Error} naming every unknown name and wrong value */
export function fixedValues(text: string | undefined): z.output<typeof fixed> {
  const parsed = fixed.safeParse(text === undefined ? {} : JSON.parse(text))
  if (parsed.success) return parsed.data
  throw new Error(parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '))
}
