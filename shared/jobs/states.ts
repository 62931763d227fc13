export const finalStates = ['succeeded', 'failed', 'cancelled'] as const
export const jobStates = ['queued', 'running', 'committing', ...finalStates] as const
export type JobState = (typeof jobStates)[number]
export type FinalState = (typeof finalStates)[number]

export const isFinished = ({ state }: { state: JobState }): boolean =>
  (finalStates as readonly string[]).includes(state)
