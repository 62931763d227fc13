/**
 * Of the slices of one job that this worker has, the first is alone until a part of it is staged. Side by side their
 * first parts would all come late, and later their ends would all wait for the store at the same time.
 */
export interface HeadStart {
  /** Runs `build`: at once, or when the first slice of the job has called `staged` or has ended. */
  run<T>(jobId: string, build: (staged: () => void) => Promise<T>): Promise<T>
}

export function createHeadStart(): HeadStart {
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
