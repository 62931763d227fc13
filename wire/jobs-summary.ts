import { z } from 'zod'
import { callbackStates } from './job.ts'
import { jobStates } from './job-states.ts'

const count = z.int().nonnegative()

/** How many jobs of a list are in each state. Contract 7, Jobs. */
export const jobsSummary = z.object({
  complete: z.boolean().meta({ description: 'False if there are more than 20,000 jobs: it is of the newest of them' }),
  states: z.object(Object.fromEntries(jobStates.map((state) => [state, count])) as Record<JobStateName, typeof count>),
  callbacks: z.object(
    Object.fromEntries(callbackStates.map((state) => [state, count])) as Record<CallbackStateName, typeof count>,
  ),
  causes: z
    .array(z.object({ code: z.string(), message: z.string(), count, newest: z.string() }))
    .meta({ description: 'Equal errors, the most frequent first, each with the id of the newest job; at most 20' }),
})

type JobStateName = (typeof jobStates)[number]
type CallbackStateName = (typeof callbackStates)[number]
export type JobsSummary = z.infer<typeof jobsSummary>
