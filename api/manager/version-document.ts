import { z } from 'zod'
import { documentedNodeType, documentedProperty } from '../../shared/models/fields.ts'
import { zodBody } from '../http/body/zod-body.ts'

/** Bytes of a document to import. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 16 * 1024 * 1024

const given = z
  .strictObject({ properties: z.array(documentedProperty).nullish(), nodeTypes: z.array(documentedNodeType).nullish() })
  .meta({ description: 'Null and false values may be omitted. No two elements of a list have the same key' })
const example = {
  properties: [{ key: 'title', dataType: 'String' }],
  nodeTypes: [{ key: 'Movie', properties: [{ key: 'title', unique: true, required: true }] }],
}
/** Elements are checked by the handler, a few at a time. */
const anyElements = z.array(z.unknown()).nullish()
export const documentBody = {
  ...zodBody(z.strictObject({ properties: anyElements, nodeTypes: anyElements }), limitBytes, example),
  schema: given,
}
export const imported = z.object({ created: z.int(), changed: z.int(), unchanged: z.int() })
