import { isAfter, type JobRecord, type ListPosition } from './job.ts'
import type { JobBrief, JobList, JobRecords } from './job-records.ts'

/** Number of positions or states read at a time, and maximum number of records. */
export const pageSize = 200

interface WantedJobs {
  after: ListPosition | null
  /** The caller takes at most this many jobs. */
  most: number
  /** Jobs created before this time, in epoch milliseconds, are left out. */
  since?: number | undefined
  /** Jobs for which it is false are left out; absent: all are wanted. */
  fits?: ((job: JobBrief) => boolean) | undefined
}

/**
 * Merges lists of jobs, newest first, starting after `after`. Removes jobs that no longer exist from the lists, and
 * skips unreadable ones. With `fits`, it reads only the brief of a job that does not fit, and yields null as its `job`.
 */
export async function* eachJob(
  records: Pick<JobRecords, 'list' | 'briefsOf' | 'readMany' | 'unlist'>,
  lists: readonly JobList[],
  { after, most, since = 0, fits }: WantedJobs,
): AsyncGenerator<{ job: JobRecord | null; position: ListPosition }> {
  const readAtOnce = Math.min(pageSize, most)
  let size = fits === undefined ? readAtOnce : pageSize
  for (let from = after; ; ) {
    const pages = await Promise.all(lists.map((list) => records.list(list, from, size)))
    const positions = pages.flat().sort((a, b) => (isAfter(a, b) ? 1 : -1))
    const page = positions.slice(0, size)
    const isLast = page.length < size || (page.at(-1)?.createdAt ?? 0) < since
    while ((page.at(-1)?.createdAt ?? since) < since) page.pop()
    const ids = page.map(({ id }) => id)
    const briefs = fits && (await records.briefsOf(ids))
    const isWanted = (index: number) => briefs === undefined || (briefs[index] && fits?.(briefs[index])) === true
    const wanted = ids.filter((_, index) => isWanted(index))
    const missing = briefs === undefined ? [] : ids.filter((_, index) => briefs[index] === null)
    let found = new Map<string, JobRecord | null | undefined>()
    for (const [index, position] of page.entries()) {
      if (position.id === wanted[0]) {
        const some = wanted.splice(0, readAtOnce)
        const read = await records.readMany(some)
        found = new Map(some.map((id, at) => [id, read[at]]))
        if (briefs === undefined) missing.push(...some.filter((_, at) => read[at] === null))
      }
      const job = found.get(position.id)
      // It may have changed since its brief was read.
      const callback = job?.callback?.state ?? null
      if (job && (fits === undefined || fits({ ...job, callback }))) yield { job, position }
      else if (briefs?.[index]) yield { job: null, position }
    }
    if (missing.length > 0) await Promise.all(lists.map((list) => records.unlist(list, missing)))
    if (isLast) return
    from = page.at(-1) as ListPosition
    // Read more at a time, because many of the jobs may no longer exist.
    size = Math.min(pageSize, 2 * size)
  }
}

/** Number of briefs read at a time where no record is read. */
const briefsAtOnce = 1_000

/** Briefs of the jobs of lists, newest first, starting after `after`. Skips jobs that no longer exist. */
export async function* eachBrief(
  records: Pick<JobRecords, 'list' | 'briefsOf'>,
  lists: readonly JobList[],
  { after, since = 0 }: Pick<WantedJobs, 'after' | 'since'>,
): AsyncGenerator<JobBrief> {
  for (let from = after; ; ) {
    const pages = await Promise.all(lists.map((list) => records.list(list, from, briefsAtOnce)))
    const positions = pages.flat().sort((a, b) => (isAfter(a, b) ? 1 : -1))
    const page = positions.slice(0, briefsAtOnce)
    const recent = page.filter(({ createdAt }) => createdAt >= since)
    for (const brief of await records.briefsOf(recent.map(({ id }) => id))) if (brief !== null) yield brief
    if (page.length < briefsAtOnce || recent.length < page.length) return
    from = page.at(-1) as ListPosition
  }
}
