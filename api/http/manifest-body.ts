import { z } from 'zod'
import { jobSchema } from '../../shared/jobs/job-view.ts'
import { statementKinds } from '../../shared/packet/kinds/statement.ts'

const count = z.int().nonnegative()
const text = z.string()
const compressed = {
  compression: z.literal('gzip').optional().meta({ description: 'How the part is stored; absent: uncompressed' }),
  storedBytes: count
    .optional()
    .meta({ description: 'Bytes of the compressed object; bytes and sha256 are of its content' }),
}

export const statementCounts = z
  .object(Object.fromEntries(statementKinds.map((kind) => [kind, count])))
  .meta({ id: 'StatementCounts' })

const required = z.object({ label: text, property: text, cypher: z.object({ 5: text, 3.5: text }) })
const notListed = count.optional().meta({ description: 'At least how many more are not listed' })

export const requires = z
  .object({
    server: text,
    constraints: z.array(required),
    moreConstraints: notListed,
    model: z
      .object({
        indexes: z.array(required),
        existence: z.array(required.extend({ edition: z.literal('enterprise') })),
        more: notListed,
      })
      .optional()
      .meta({ description: 'What the model declares in addition to constraints; replay does not rely on it' }),
  })
  .meta({ id: 'Requires' })

/** A packet's manifest in the OpenAPI document. */
export const manifestBody = z
  .object({
    packet: text,
    generation: count,
    jobId: text,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable().meta({ description: 'When the packet expires; null: never' }),
    parameterSyntax: z.enum(['braces', 'dollar', 'mixed']),
    numbers: z.enum(['plain', 'strict', 'mixed']),
    pairs: count,
    bytes: count,
    sha256: text,
    parts: z.array(
      z.object({ fileName: text, pairs: count, bytes: count, sha256: text, ...compressed, url: text.optional() }),
    ),
    statements: statementCounts,
    requires,
    report: jobSchema.shape.report.unwrap(),
    shape: z
      .object({
        counts: z.array(
          z.object({ kind: z.enum(statementKinds), label: text, type: text.optional(), to: text.optional(), count }),
        ),
        others: count.meta({ description: 'How many more are not listed' }),
      })
      .nullable()
      .meta({ description: 'How many pairs of a kind are about a label, or about a type of relationships' }),
    base: z.null(),
  })
  .meta({ id: 'PacketManifest' })
