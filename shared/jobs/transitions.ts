import type { JobState } from '../../wire/job-states.ts'

/** What happens to a job. */
export type JobEvent = 'start' | 'report' | 'beginCommit' | 'withdraw' | 'cancel' | 'end'

/** The state after an event; `end`: the final state that the caller names; null: the event changes nothing. */
type Next = JobState | 'end' | null

const finished = { succeeded: null, failed: null, cancelled: null } as const

/**
 * The state after each event in each state. The scripts take their conditions from it, so that none is forgotten when a
 * state or an event is added. Further conditions (the latest attempt, a request to cancel) stand in the scripts.
 */
export const transitions: Record<JobEvent, Record<JobState, Next>> = {
  // A run that died while it committed is started again.
  start: { queued: 'running', running: 'running', committing: 'running', ...finished },
  report: { queued: null, running: 'running', committing: 'committing', ...finished },
  // Several runs may commit at once, and the first to create the manifest does.
  beginCommit: { queued: null, running: 'committing', committing: 'committing', ...finished },
  withdraw: { queued: 'failed', running: null, committing: null, ...finished },
  cancel: { queued: 'cancelled', running: 'cancelled', committing: null, ...finished },
  end: { queued: 'end', running: 'end', committing: 'end', ...finished },
}

/** The Lua condition that `state` is one in which the event changes something, or may. */
export function accepts(event: JobEvent, state = 'state'): string {
  const accepting = Object.entries(transitions[event]).filter(([, next]) => next !== null)
  return `(${accepting.map(([name]) => `${state} == '${name}'`).join(' or ')})`
}

/** The Lua condition that the state is not final. */
export const isUnfinished = (state = 'state'): string => accepts('end', state)
