import type { z } from 'zod'
import type { ModelRecord } from '../../shared/manager/records.ts'

const ofOneRecord = new WeakSet<z.ZodType>()

/** Says that an answer of this schema is one record, which has an enver. */
export function single(schema: z.ZodType): z.ZodType {
  ofOneRecord.add(schema)
  return schema
}

export const isOneRecord = (schema: z.ZodType): boolean => ofOneRecord.has(schema)

/** What `If-Match` takes. */
export const etagOf = (answer: object) => ({ ETag: `"${(Object.values(answer)[0] as ModelRecord).enver}"` })
