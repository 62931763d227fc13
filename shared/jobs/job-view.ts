import { z } from 'zod'
import { callbackStates, type JobRecord } from './record.ts'
import { jobStates } from './states.ts'

const count = z.int().nonnegative()
const missingIndexes = z
  .array(z.object({ type: z.string(), property: z.string() }))
  .meta({ description: 'Relationship types without an index on the relationshipIdField, the first 20' })
const named = z.object({ label: z.string(), property: z.string() })
export const modelReport = z
  .object({
    version: z.string(),
    violations: z.object({
      count,
      first: z.array(
        z.object({
          label: z.string(),
          id: z.string(),
          property: z.string().nullable(),
          rule: z.enum(['nodeType', 'property', 'required', 'dataType']),
          problem: z.string(),
        }),
      ),
    }),
    omitted: z.object({ labels: count, properties: count, nodes: count }),
    indexed: z.array(named),
    required: z.array(named),
    moreProperties: count.optional().meta({ description: 'At least so many more properties, not listed' }),
  })
  .meta({ id: 'ModelReport', description: 'What became of the model that the publish is bound to' })
const missing = z.object({ count, first: z.array(z.string()) })

/** A job in the OpenAPI document. */
export const jobSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['publish', 'multi']),
    state: z.enum(jobStates),
    orgName: z.string(),
    fileName: z.string(),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    attempt: count,
    progress: z.object({
      phase: z.enum(['queued', 'reading', 'committing', 'done']),
      subRequests: count,
      subRequestsDone: count,
      pairs: count,
      parts: count,
      bytes: count,
    }),
    report: z
      .object({
        identities: z.array(z.object({ label: z.string(), property: z.string() })),
        moreIdentities: count.optional().meta({ description: 'At least so many more kinds of identities, not listed' }),
        missing: z.object({ originIds: missing, relationshipIds: missing }),
        skipped: z.object({ nodes: count, relationships: count, properties: count, cleanups: count }),
        collapsed: count,
        missingIndexes: missingIndexes.optional(),
        model: modelReport.optional(),
      })
      .meta({ id: 'JobReport' })
      .nullable(),
    error: z.object({ status: z.int(), code: z.string(), message: z.string() }).nullable(),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the packet expires; null until the job has succeeded, and if it never does' }),
    callback: z.object({ state: z.enum(callbackStates), attempts: count, lastStatus: z.int().nullable() }).nullable(),
  })
  .meta({ id: 'Job' })

const fields = Object.keys(jobSchema.shape) as (keyof JobRecord)[]

/** A job as clients see it: its fields in the documented order, whatever order Redis returns. Contract 7, Job. */
export const jobView = (job: JobRecord): object => Object.fromEntries(fields.map((field) => [field, job[field]]))
