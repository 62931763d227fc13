/** Every key and channel in Redis but the queue's own. */

export const recordKey = (id: string): string => `packets:job:${id}`
/** The slices of a large multi under way. */
export const slicesKey = (id: string): string => `packets:slices:${id}`
export const secretKeyOf = (id: string): string => `packets:secret:${id}`
/** Who is writing a packet; `name` is its full name. */
export const claimKey = (name: string): string => `packets:claim:${name}`
export const idempotencyKey = (key: string): string => `packets:idempotency:${key}`

/** Unfinished jobs by the time they were created. */
export const openJobsKey = 'packets:open'
/** The sum of the runs that they take. */
export const openRunsKey = 'packets:open-runs'

/** In the order of the queue: the turn of what was begun last, and the last turn of each flow. */
export const turnKey = 'packets:turn'
export const flowTurnsKey = 'packets:flow-turns'

/** Jobs of an org and its sub-directories by the time they were created; null: of all orgs. */
export const jobListKey = (orgName: string | null): string => `packets:jobs:${orgName ?? ''}`

/** The lists a job stands in: `a/b` is part of `a`. */
export function jobListsOf(orgName: string): string[] {
  const segments = orgName.split('/')
  return [null, ...segments.map((_, index) => segments.slice(0, index + 1).join('/'))].map(jobListKey)
}

/** Packets whose plain files may be out of step, by the time they became so. */
export const staleViewsKey = 'packets:views'

/** Where the id of a job that finished is published. */
export const finishedChannel = 'packets:finished'

/** Which worker is at one of the janitor's duties; and when everything was last swept. */
export const dutyKey = (duty: string): string => `packets:janitor:${duty}`
export const sweptKey = 'packets:swept'
