import { z } from 'zod'
import { parsedBy } from './env.ts'
import { parseFailpoint } from './failpoint.ts'

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
  /**
   * Time that an origin sends neither a row nor the end of an answer. Beyond this limit the connection closes with
   * `502 originBroke`.
   */
  originStallSeconds: seconds(900),
  /** Time that a request to the store makes no progress. Beyond this limit the request fails with `503 storeAway`. */
  storeTimeoutSeconds: seconds(20),
  /**
   * Time that a dry run reads. Beyond this limit the dry run reports what it has read; without a pair the answer is
   * `504 jobTimedOut`.
   */
  dryRunSeconds: seconds(20),
  /**
   * Pairs of a returnOnly packet, or that a dry run counts. Beyond this limit the answer is `413 returnOnlyTooLarge`; a
   * dry run ends and reports its limit.
   */
  returnOnlyPairs: count(50_000),
  /**
   * `returnOnly` packets in one API, and as many dry runs; one token may use half, and one dry run. Beyond this limit
   * the answer is `503 processBusy`, or `429 tooManyAtOnce` for the token.
   */
  returnOnlyAtOnce: count(32),
  /**
   * Open event streams in one API; one token may use half. Beyond this limit the answer is `503 processBusy`, or
   * `429 tooManyAtOnce` for the token.
   */
  eventStreams: count(2_000),
  /**
   * Bytes of unanswered request bodies in one API; one token may use half. Beyond this limit the answer is
   * `503 processBusy`, or `429 tooManyAtOnce` for the token.
   */
  bodyBytes: count(256 * 1024 * 1024),
  /**
   * Nodes of a selection that are built together. Beyond this limit the selection is cut into slices, which any workers
   * build. As many as 20 sub-requests of 500 ids.
   */
  nodesPerSlice: count(10_000),
  /** Where a test interrupts a worker: `<step>:<kill, stop or block>[:<count>]`. */
  failpoint: parsedBy(parseFailpoint).nullable().default(null),
})

/** The values that a test may replace, before their defaults are applied. */
export type Overrides = z.input<typeof fixed>

/** The fixed values, replaced by the values in `text`. @throws {Error} naming every unknown name and wrong value */
export function fixedValues(text: string | undefined): z.output<typeof fixed> {
  const parsed = fixed.safeParse(text === undefined ? {} : JSON.parse(text))
  if (parsed.success) return parsed.data
  throw new Error(parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '))
}
