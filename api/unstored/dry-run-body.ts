import { z } from 'zod'
import { jobSchema } from '../../shared/jobs/job-view.ts'
import { requires, statementCounts } from '../../shared/publish/manifest-view.ts'
import { publishResponseBody, statement } from '../http/openapi-schemas.ts'
import { trueOrFalse } from '../http/query.ts'

const count = z.int().nonnegative()
const text = z.string()
const report = jobSchema.shape.report.unwrap().shape
const size = { pairs: count, parts: count, bytes: count }

export const dryRunBody = z
  .object({
    complete: z.boolean(),
    limit: z.enum(['time', 'pairs']).nullable(),
    subRequests: count,
    subRequestsRead: count,
    ...size,
    projected: z.object({ ...size, by: z.literal('sub-requests') }).nullable(),
    statements: statementCounts,
    nodes: z.object({ origin: count, targeted: count, farEnds: count }),
    relationships: z.record(text, count),
    otherRelationships: count.optional(),
    largestPair: z.object({ bytes: count, about: text }).nullable(),
    unpublishable: z.object({
      count,
      first: z.array(
        z.object({
          what: z.enum(['node', 'relationship']),
          label: text.nullable(),
          type: text.nullable(),
          id: text.nullable(),
          element: text.nullable(),
          reason: text,
        }),
      ),
    }),
    missing: report.missing,
    skipped: report.skipped,
    collapsed: report.collapsed,
    model: report.model,
    requires,
    originIndexes: z.array(
      z.object({
        origin: text,
        label: text,
        property: text,
        kind: z.enum(['UNIQUE', 'INDEX', 'NONE', 'UNKNOWN']),
      }),
    ),
    warnings: z.array(text),
    wouldConflict: z.boolean().nullable(),
    sample: z.array(statement),
  })
  .meta({ id: 'DryRun' })

/** The answer of a publish; with `dryRun=true` a description of the packet. */
export const publishOrDryRun = z.union([publishResponseBody, z.object({ dryRun: dryRunBody })])

/** The query parameter of both endpoints that publish. */
export const dryRun = trueOrFalse.optional().meta({
  description: 'true: answer what the publish would make, and store nothing; orgName and fileName may be absent',
})

/** Whether a query asks for a dry run; an invalid query does not. */
export const isDryRun = (query: unknown): boolean => (query as { dryRun?: boolean } | undefined)?.dryRun === true
