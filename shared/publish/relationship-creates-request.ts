import { z } from 'zod'
import { fileName } from '../storage/names.ts'
import { type IdType, idParameter } from './direct-packet.ts'
import { id, identifier } from './request.ts'

const idType = z
  .enum(['string', 'integer'])
  .nullish()
  .transform((type): IdType => type ?? 'string')

const notIntegers = 'has an id that is not a 64-bit integer, as its type says'

/**
 * The body of #10: the kinds of both ends, and the ids of each pair as the JSON of parameters, in order, each pair once.
 * Seed, #10; contract 7.10.
 */
export const relationshipCreates = z
  .strictObject({
    startIndex: identifier,
    startIdField: identifier,
    endIndex: identifier,
    endIdField: identifier,
    fileName,
    type: identifier,
    idPairs: z.array(z.strictObject({ startId: id, endId: id })).min(1, 'must have at least one pair'),
    startIdType: idType,
    endIdType: idType,
    parameterSyntax: z.enum(['braces', 'dollar']).nullish(),
  })
  .transform(
    ({ startIndex, startIdField, endIndex, endIdField, startIdType, endIdType, idPairs, ...rest }, context) => {
      const ids = new Map<string, readonly [string, string]>()
      for (const [index, { startId, endId }] of idPairs.entries()) {
        const [start, end] = [idParameter(startId, startIdType), idParameter(endId, endIdType)]
        if (start === null || end === null)
          context.addIssue({ code: 'custom', path: ['idPairs', index], message: notIntegers })
        else ids.set(`${start} ${end}`, [start, end])
      }
      return {
        ...rest,
        start: { label: startIndex, idProperty: startIdField },
        end: { label: endIndex, idProperty: endIdField },
        ids: [...ids.values()],
      }
    },
  )
