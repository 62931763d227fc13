import type { z } from 'zod'
import type { ModelRecord } from '../../shared/models/records.ts'

const ofOneRecord = new WeakSet<z.ZodType>()

/** Marks the schema of a response with a single record, which has an enver. */
export function single(schema: z.ZodType): z.ZodType {
  ofOneRecord.add(schema)
  return schema
}

export const isOneRecord = (schema: z.ZodType): boolean => ofOneRecord.has(schema)

/** The record's enver as `ETag`, for `If-Match`. */
export const etagOf = (answer: object) => ({ ETag: `"${(Object.values(answer)[0] as ModelRecord).enver}"` })
