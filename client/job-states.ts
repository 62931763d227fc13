import type { Job } from './service-types.ts'

const finalStates: readonly Job['state'][] = ['succeeded', 'failed', 'cancelled']
const jobStates: readonly Job['state'][] = ['queued', 'running', 'committing', ...finalStates]

/** What a list of jobs may be filtered by; open: unfinished. */
export const listedStates = ['open', ...jobStates] as const

export const isFinished = ({ state }: Job): boolean => finalStates.includes(state)
