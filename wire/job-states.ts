/** The states of a job. Contract 7, Job. */
export const finalStates = ['succeeded', 'failed', 'cancelled'] as const
export const jobStates = ['queued', 'running', 'committing', ...finalStates] as const
/** What a list of jobs may be filtered by; open: unfinished. */
export const listedStates = ['open', ...jobStates] as const
export type JobState = (typeof jobStates)[number]
export type FinalState = (typeof finalStates)[number]

export const isFinished = ({ state }: { state: JobState }): boolean =>
  (finalStates as readonly string[]).includes(state)
