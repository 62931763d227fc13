/**
 * Among the slices of one job in this worker, the first runs alone until one of its parts is staged. Run side by side,
 * their first parts would all be late, and their ends would compete for the store.
 */
export interface StaggeredStart {
  /** Runs `build` at once, or after the job's first slice in this worker has called `staged` or ended. */
  run<T>(jobId: string, build: (staged: () => void) => Promise<T>): Promise<T>
}

export function createStaggeredStart(): StaggeredStart {
  const jobs = new Map<string, { slices: number; staged: PromiseWithResolvers<void> }>()
  return {
    async run(jobId, build) {
      const known = jobs.get(jobId)
      const job = known ?? { slices: 0, staged: Promise.withResolvers<void>() }
      jobs.set(jobId, job)
      job.slices++
      try {
        if (known) await job.staged.promise
        return await build(job.staged.resolve)
      } finally {
        job.staged.resolve()
        if (--job.slices === 0) jobs.delete(jobId)
      }
    },
  }
}
