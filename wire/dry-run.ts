import { z } from 'zod'
import { jobReport } from './job.ts'
import { requires, shape, statementCounts } from './manifest.ts'
import { statement } from './publish-response.ts'

const count = z.int().nonnegative()
const text = z.string()
const report = jobReport.shape
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
    shape: shape.nullable().meta({ description: 'As in a manifest; null if the dry run is not complete' }),
    wouldConflict: z.boolean().nullable(),
    sample: z.array(statement),
  })
  .meta({ id: 'DryRun' })

export type DryRun = z.infer<typeof dryRunBody>
