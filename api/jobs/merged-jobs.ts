import { isAfter, type JobRecords, type ListPlace } from '../../shared/jobs/record.ts'

const pageSize = 200

/** All of the lists merged, newest first; what is gone is taken off them on the way. */
export async function* mergedJobs(records: JobRecords, lists: readonly (string | null)[], after: ListPlace | null) {
  for (let from = after; ; ) {
    const pages = await Promise.all(lists.map((list) => records.list(list, from, pageSize)))
    const places = pages.flat().sort((a, b) => (isAfter(a, b) ? 1 : -1))
    const page = places.slice(0, pageSize)
    const found = await Promise.all(page.map(({ id }) => records.read(id)))
    for (const [index, job] of found.entries()) if (job) yield { job, at: page[index] as ListPlace }
    const gone = page.filter((_, index) => found[index] === null).map(({ id }) => id)
    await Promise.all(lists.map((list) => records.unlist(list, gone)))
    if (page.length < pageSize) return
    from = page.at(-1) as ListPlace
  }
}
