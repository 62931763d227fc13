import { z } from 'zod'
import { jobStates } from './job-states.ts'

const count = z.int().nonnegative()
const time = z.iso.datetime()
const named = z.object({ label: z.string(), property: z.string() })
const violation = z.object({
  label: z.string(),
  id: z.string(),
  property: z.string().nullable(),
  rule: z.enum(['nodeType', 'property', 'required', 'dataType']),
  problem: z.string(),
})
const modelReport = z
  .object({
    version: z.string(),
    violations: z.object({ count, first: z.array(violation) }),
    omitted: z.object({ labels: count, properties: count, nodes: count }),
    indexed: z.array(named),
    required: z.array(named),
    moreProperties: count.optional().meta({ description: 'At least so many more properties, not listed' }),
  })
  .meta({ id: 'ModelReport', description: 'What became of the model that the publish is bound to' })
const missingIndexes = z
  .array(z.object({ type: z.string(), property: z.string() }))
  .meta({ description: 'Relationship types without an index on the relationshipIdField, the first 20' })
const missing = z.object({ count, first: z.array(z.string()) })

const selectionReport = z
  .object({
    from: time.nullable().meta({ description: 'When the listing of the nodes began' }),
    to: time.nullable().meta({ description: 'When it ended: later nodes are not in the packet' }),
    nodes: count.meta({ description: 'Nodes listed' }),
    gone: count.meta({ description: 'Listed nodes that were deleted, or no longer selected, when they were read' }),
    indices: z.array(named).meta({ description: 'What the constraints of the origin made of absent mappedIndices' }),
    withoutIdentity: z
      .array(z.object({ label: z.string(), nodes: count }))
      .meta({ description: 'Selected nodes without an identity, by a label; an empty text: none' }),
  })
  .meta({ id: 'SelectionReport', description: 'How the nodes of a publish with select were found' })

/** What a job reports about its packet as a whole. Contract 7, Job. */
export const jobReport = z
  .object({
    identities: z.array(named),
    moreIdentities: count.optional().meta({ description: 'At least so many more kinds of identities, not listed' }),
    missing: z.object({ originIds: missing, relationshipIds: missing }),
    skipped: z.object({ nodes: count, relationships: count, properties: count, cleanups: count }),
    collapsed: count,
    missingIndexes: missingIndexes.optional(),
    newTypes: z
      .array(z.enum(['uuid', 'vector']))
      .optional()
      .meta({ description: 'Types of values in the packet that only Cypher 25 can make' }),
    selection: selectionReport.optional(),
    model: modelReport.optional(),
  })
  .meta({ id: 'JobReport' })

export const callbackStates = ['due', 'delivered', 'failed'] as const
/** Why an attempt of a callback got no answer. */
export const callbackFailures = ['notAllowed', 'unresolved', 'refused', 'timedOut', 'certificate', 'brokeOff'] as const

/** Progress of the delivery of a job's callback. `lastStatus` is null until a receiver has answered. */
const callback = z.object({
  state: z.enum(callbackStates),
  attempts: count,
  lastStatus: z.int().nullable(),
  lastFailure: z.enum(callbackFailures).nullable().meta({ description: 'Why the last attempt got no answer' }),
  lastAttemptAt: time.nullable(),
  nextAttemptAt: time
    .nullable()
    .meta({ description: 'When a callback that is due is sent again; null before an attempt' }),
  host: z
    .string()
    .nullable()
    .meta({ description: 'Host and port of the last attempt; the rest of the address is private' }),
})

/** A run of a job or of one of its slices that failed. */
const failure = z.object({
  attempt: count,
  slice: count.nullable().meta({ description: 'Null: a run of the whole job' }),
  at: time,
  code: z.string(),
  message: z.string(),
})

export const waitReasons = ['turn', 'noWorker', 'delay'] as const
/** Why an unfinished job does not run now, apart from a pause. */
const waiting = z.object({
  reason: z.enum(waitReasons),
  ahead: count.nullable().meta({ description: 'Deliveries of the queue before this one; null for a delay' }),
  until: time.nullable().meta({ description: 'When a delayed job is delivered again' }),
})

/** A job as clients see it: also in the OpenAPI document. Its `callback` is null if the request asked for none. */
export const jobSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['publish', 'multi']),
    state: z.enum(jobStates),
    orgName: z.string(),
    fileName: z.string(),
    createdAt: time,
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
    attempt: count,
    progress: z.object({
      phase: z.enum(['queued', 'reading', 'committing', 'done']),
      subRequests: count,
      subRequestsDone: count,
      pairs: count,
      parts: count,
      bytes: count,
    }),
    report: jobReport.nullable(),
    error: z.object({ status: z.int(), code: z.string(), message: z.string() }).nullable(),
    expiresAt: time
      .nullable()
      .meta({ description: 'When the packet expires; null until the job has succeeded, and if it never does' }),
    callback: callback.nullable(),
    paused: z.object({ since: time.nullable() }).nullable().meta({
      description: 'Since when the queue has been paused, so that no run starts; null if not, or after the end',
    }),
    waiting: waiting.nullable().meta({ description: 'Why the job does not run now; null if it does, or has ended' }),
    failures: z.array(failure).meta({ description: 'The last runs that failed, at most ten, oldest first' }),
  })
  .meta({ id: 'Job' })

export const slicesBody = z.object({
  slices: z
    .array(
      z.object({
        slice: count,
        state: z.enum(['waiting', 'running', 'done']),
        attempt: count.meta({ description: 'How often it was begun' }),
        pairs: count,
      }),
    )
    .meta({ description: 'In order; empty for other jobs, and after the end' }),
})

export type Slice = z.infer<typeof slicesBody>['slices'][number]
export type Job = z.infer<typeof jobSchema>
export type JobFailure = z.infer<typeof failure>
export type JobReport = z.infer<typeof jobReport>
export type SelectionReport = z.infer<typeof selectionReport>
export type ModelReport = z.infer<typeof modelReport>

const fields = Object.keys(jobSchema.shape) as (keyof Job)[]

/** A job as clients see it: its fields in the documented order, whatever order Redis returns. Contract 7, Job. */
export const jobView = (job: Record<keyof Job, unknown>): object =>
  Object.fromEntries(fields.map((field) => [field, job[field]]))
