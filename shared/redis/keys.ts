/** All keys and channels in Redis. */

/** The queue delivers ids only; the job and its state are in its record. */
export const queueName = 'publish'
export const queuePrefix = 'packets:queue'
/** The key of a state or of a job of the queue, or of its settings, `meta`. */
export const queueKey = (name: string): string => `${queuePrefix}:${queueName}:${name}`

export const recordKey = (id: string): string => `packets:job:${id}`
/** State of the slices of a large multi in progress. */
export const slicesKey = (id: string): string => `packets:slices:${id}`
export const secretKeyOf = (id: string): string => `packets:secret:${id}`
/** The job that is writing a packet; `name` is its full name. */
export const claimKey = (name: string): string => `packets:claim:${name}`
export const idempotencyKey = (key: string): string => `packets:idempotency:${key}`

/** Unfinished jobs by creation time. */
export const openJobsKey = 'packets:open'
/** Numbers of runs of unfinished jobs: the total, and the number of each tenant. */
export const openRunsKey = 'packets:open-runs'

/** The slots and runs of each worker. */
export const workersKey = 'packets:workers'

/** The turn of the last delivery started, and the last turn of each flow. */
export const turnKey = 'packets:turn'
export const flowTurnsKey = 'packets:flow-turns'

/** Jobs of an org and its sub-directories by creation time; null: of all orgs. */
export const jobListKey = (orgName: string | null): string => `packets:jobs:${orgName ?? ''}`

/** The lists that contain a job: `a/b` is part of `a`. */
export function jobListsOf(orgName: string): string[] {
  const segments = orgName.split('/')
  return [null, ...segments.map((_, index) => segments.slice(0, index + 1).join('/'))].map(jobListKey)
}

/** Packets whose plain files may be stale, by the time they were marked. */
export const stalePlainFilesKey = 'packets:views'

/** Finished jobs whose callback is due, by the time at which it became due. */
export const callbacksDueKey = 'packets:callbacks'

/** What ended in a minute (since the epoch): numbers of jobs by state, pairs of packets, and callbacks given up. */
export const endedKey = (minute: string | number): string => `packets:ended:${minute}`

/** Like `turnKey` and `flowTurnsKey`, for callbacks. */
export const callbackTurnKey = 'packets:callback-turn'
export const callbackFlowTurnsKey = 'packets:callback-flow-turns'

/** Written before an answer that waits for the replicas. */
export const replicatedKey = 'packets:replicated'

/** Channel on which the ids of finished jobs are published. */
export const finishedChannel = 'packets:finished'

/** The worker that performs a janitor duty, and the time of the last full sweep. */
export const dutyKey = (duty: string): string => `packets:janitor:${duty}`
export const sweptKey = 'packets:swept'

/** Keys of a look at what Redis allows, which removes them at once. */
export const probeKey = (id: string): string => `packets:probe:${id}`
