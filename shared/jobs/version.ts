/**
 * The version of what the programs write for one another: the queue's payloads, and a job's record, request and plan,
 * which are written together. Raise it with a change that a worker from before would read wrongly. Then deploy in any
 * order: such a worker hands newer jobs back until it is replaced. A newer worker must run the jobs of the version
 * before, for some are waiting, and may not change what slices of one job tell each other.
 *
 * Version 2 names generations in another way (`storage/keys.ts`). It reads those of version 1, but not the other way round:
 * all programs of version 1, APIs too, are stopped before the first of version 2 starts.
 */
export const jobVersion = 2

/** Was it written by a newer program than this? Without a version it is from before there were any. */
export const isNewer = ({ version = 1 }: { version?: number }): boolean => version > jobVersion
