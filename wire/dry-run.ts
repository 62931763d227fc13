import { z } from 'zod'
import { jobReport } from './job.ts'
import { packetMasking, requires, shape, statementCounts } from './manifest.ts'
import { statement } from './publish-response.ts'

const count = z.int().nonnegative()
const text = z.string()
const report = jobReport.shape
const size = { pairs: count, parts: count, bytes: count }

const selectionCount = z.object({
  subRequest: count,
  element: count.meta({ description: 'Place in select' }),
  label: text,
  nodes: count,
  indexes: z
    .array(text)
    .nullable()
    .meta({ description: 'Properties of where that an index of the label has; null: without where, or unknown' }),
  relationships: z.record(text, count),
})

const action = z.enum(['drop', 'hash', 'null'])
const masking = packetMasking.extend({
  counts: z
    .array(z.object({ name: text, property: text, action, values: count }))
    .meta({ description: 'Values of published nodes and relationships that each rule masks' }),
  sample: z
    .array(
      z.object({
        label: text,
        properties: z.array(
          z.object({
            property: text,
            action,
            before: text.meta({ description: 'The type of the value; of a text also the order of its length' }),
            after: text.nullable(),
          }),
        ),
      }),
    )
    .meta({ description: 'What the rules do to up to three nodes' }),
})

export const dryRunBody = z
  .object({
    complete: z.boolean(),
    limit: z.enum(['time', 'pairs', 'nodes']).nullable(),
    subRequests: count,
    subRequestsRead: count,
    ...size,
    projected: z.object({ ...size, by: z.enum(['sub-requests', 'nodes']) }).nullable(),
    statements: statementCounts,
    nodes: z.object({ origin: count, targeted: count, farEnds: count }),
    relationships: z.record(text, count),
    otherRelationships: count.optional(),
    selections: z
      .array(selectionCount)
      .optional()
      .meta({ description: 'What each element of select takes, by label: a node with several counts at each' }),
    selection: report.selection,
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
    masking: masking.optional().meta({ description: 'With mask or only' }),
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

export type SelectionCount = z.infer<typeof selectionCount>
export type DryRun = z.infer<typeof dryRunBody>
