import type { JobRecords } from './job-records.ts'
import { isAfter, type ListPosition } from './list-position.ts'
import type { JobRecord } from './record.ts'

const pageSize = 200

/** A record that cannot be read must not hide other jobs. Its own stays listed; the janitor logs it. */
function passOver(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error
}

/**
 * Merges the job lists of several orgs (null: of all orgs), newest first, starting after `after`. Removes jobs that no
 * longer exist from the lists; passes over unreadable ones.
 */
export async function* eachJob(
  records: JobRecords,
  lists: readonly (string | null)[],
  after: ListPosition | null,
): AsyncGenerator<{ job: JobRecord; position: ListPosition }> {
  for (let from = after; ; ) {
    const pages = await Promise.all(lists.map((list) => records.list(list, from, pageSize)))
    const positions = pages.flat().sort((a, b) => (isAfter(a, b) ? 1 : -1))
    const page = positions.slice(0, pageSize)
    const found = await Promise.all(page.map(({ id }) => records.read(id).catch(passOver)))
    for (const [index, job] of found.entries()) if (job) yield { job, position: page[index] as ListPosition }
    const missing = page.filter((_, index) => found[index] === null).map(({ id }) => id)
    await Promise.all(lists.map((list) => records.unlist(list, missing)))
    if (page.length < pageSize) return
    from = page.at(-1) as ListPosition
  }
}
