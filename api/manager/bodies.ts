import { z } from 'zod'
import * as fields from '../../shared/models/fields.ts'
import { grnTypeOf } from '../../shared/models/grn.ts'
import { propertyImpl } from '../../shared/models/resources.ts'
import { zodBody } from '../http/body/zod-body.ts'
import type { BodyReader } from '../http/endpoint.ts'

/** Bytes of the body of any other request about models. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 1024 * 1024

export const managerBody = <Body>(schema: z.ZodType<Body>, example: object): BodyReader<Body> =>
  zodBody(schema, limitBytes, example)

export const newNodeTypeBody = managerBody(fields.newNodeType, {
  key: 'Movie',
  namespace: 'films',
  definition: 'A film',
})
export const nodeTypeChangeBody = managerBody(fields.nodeTypeChanges, { displayValue: 'Film' })

export const newPropertyBody = managerBody(fields.newProperty, { key: 'title', dataType: 'String' })
export const propertyChangeBody = managerBody(fields.propertyChanges, { displayValue: 'Title', isEditable: true })
const implementationChangeBody = managerBody(fields.propertyImplChanges, propertyChangeBody.example)

/** Changes to a property or to an implementation; the grn in the path decides which fields may change. */
export const changeOfEither: BodyReader<Record<string, unknown>> = {
  limitBytes: propertyChangeBody.limitBytes,
  schema: z.union([fields.propertyChanges, fields.propertyImplChanges]),
  example: propertyChangeBody.example,
  read(body, params) {
    const isImplementation = grnTypeOf(String(params.grn)) === propertyImpl.grnType
    return (isImplementation ? implementationChangeBody : propertyChangeBody).read(body, params)
  },
}
