import { z } from 'zod'
import { fileName } from '../../../packet/names.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { relationshipCreatesSchema } from '../../request/field-rules.ts'
import { compression, expiresAfterDays, id } from '../../request/fields.ts'
import { identifier } from '../../request/identifier.ts'
import { listOf, maxIssuesOfOne } from '../../validation/bounded.ts'
import { idParameter, idTypes } from './packet.ts'

const idType = idTypes.nullish().transform((type) => type ?? 'string')

const text = { type: 'string' }
const idPairs = listOf(z.strictObject({ startId: id, endId: id }), {
  type: 'object',
  properties: { startId: text, endId: text },
  required: ['startId', 'endId'],
  additionalProperties: false,
})

const notIntegers = 'has an id that is not a 64-bit integer, as its type says'

/**
 * The body of #10: label and id property of both ends, and the distinct id pairs, in order, as parameters. Seed, #10;
 * contract 7.10.
 */
export const relationshipCreates = z
  .strictObject({
    startIndex: identifier,
    startIdField: identifier,
    endIndex: identifier,
    endIdField: identifier,
    fileName,
    type: identifier,
    idPairs: idPairs.refine((pairs) => pairs.length > 0, 'must have at least one pair'),
    startIdType: idType,
    endIdType: idType,
    parameterSyntax: z.enum(['braces', 'dollar']).nullish(),
    expiresAfterDays: expiresAfterDays.nullish(),
    compression: compression.nullish(),
  })
  .meta({ override: relationshipCreatesSchema })
  .transform(
    ({ startIndex, startIdField, endIndex, endIdField, startIdType, endIdType, idPairs, ...rest }, context) => {
      const ids = new Map<string, readonly [Rendered, Rendered]>()
      for (const [index, { startId, endId }] of idPairs.entries()) {
        const [start, end] = [idParameter(startId, startIdType), idParameter(endId, endIdType)]
        if (start === null || end === null) {
          context.addIssue({ code: 'custom', path: ['idPairs', index], message: notIntegers })
          if (context.issues.length === maxIssuesOfOne) break
        } else ids.set(`${start.json} ${end.json}`, [start, end])
      }
      return {
        ...rest,
        start: { label: startIndex, idProperty: startIdField },
        end: { label: endIndex, idProperty: endIdField },
        ids: [...ids.values()],
      }
    },
  )
