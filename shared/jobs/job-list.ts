import type { JobState } from '../../wire/job-states.ts'
import { isAfter, type JobRecord, type ListPosition } from './job.ts'
import type { JobList, JobRecords } from './job-records.ts'

/** Number of positions or states read at a time, and maximum number of records. */
export const pageSize = 200

interface WantedJobs {
  after: ListPosition | null
  /** The caller takes at most this many jobs. */
  most: number
  state?: JobState | undefined
}

/**
 * Merges lists of jobs, newest first, starting after `after`. Removes jobs that no longer exist from the lists, and
 * skips unreadable ones. With `state`, it reads only the state of a job in another state, and yields null as its `job`.
 */
export async function* eachJob(
  records: Pick<JobRecords, 'list' | 'statesOf' | 'readMany' | 'unlist'>,
  lists: readonly JobList[],
  { after, most, state }: WantedJobs,
): AsyncGenerator<{ job: JobRecord | null; position: ListPosition }> {
  const readAtOnce = Math.min(pageSize, most)
  let size = state === undefined ? readAtOnce : pageSize
  for (let from = after; ; ) {
    const pages = await Promise.all(lists.map((list) => records.list(list, from, size)))
    const positions = pages.flat().sort((a, b) => (isAfter(a, b) ? 1 : -1))
    const page = positions.slice(0, size)
    const ids = page.map(({ id }) => id)
    const states = state && (await records.statesOf(ids))
    const wanted = ids.filter((_, index) => states === undefined || states[index] === state)
    const missing = states === undefined ? [] : ids.filter((_, index) => states[index] === null)
    let found = new Map<string, JobRecord | null | undefined>()
    for (const [index, position] of page.entries()) {
      if (position.id === wanted[0]) {
        const some = wanted.splice(0, readAtOnce)
        const read = await records.readMany(some)
        found = new Map(some.map((id, at) => [id, read[at]]))
        if (states === undefined) missing.push(...some.filter((_, at) => read[at] === null))
      }
      const job = found.get(position.id)
      if (job && (state === undefined || job.state === state)) yield { job, position }
      else if (states?.[index]) yield { job: null, position }
    }
    if (missing.length > 0) await Promise.all(lists.map((list) => records.unlist(list, missing)))
    if (page.length < size) return
    from = page.at(-1) as ListPosition
    // Read more at a time, because many of the jobs may no longer exist.
    size = Math.min(pageSize, 2 * size)
  }
}
