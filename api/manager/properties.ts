import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import { grnOrName } from '../../shared/manager/fields.ts'
import { grnOf, grnTypeOf, isMeantAsGrn } from '../../shared/manager/grn.ts'
import { managerVersion, nodeType, property, propertyImpl, resourceOf } from '../../shared/manager/resources.ts'
import { byEnds, byGrn, byKey } from '../../shared/manager/selector.ts'
import { changeOfEither, newPropertyBody, propertyChangeBody } from './bodies.ts'
import { empty, managerEndpoint } from './manager-endpoint.ts'
import { listOf, nothing, oneOf } from './record-schemas.ts'
import { elementEndpoints } from './version-elements.ts'

const isOfType = (grn: unknown, type: string) => grnTypeOf(String(grn)) === type

/** Seed, Manager: properties. Where a path serves two operations, the grn's type decides. */
export const properties = [
  ...elementEndpoints(property, newPropertyBody, propertyChangeBody),
  managerEndpoint('put', 'property/:grn', {
    summary: 'Change a property or a property implementation',
    params: { grn: grnOf('property', 'propertyimpl') },
    body: changeOfEither,
    gives: z.union([oneOf(property), oneOf(propertyImpl)]),
    async answer(models, { params, body, ...change }) {
      const resource = resourceOf(params.grn)
      return { [resource.one]: await models.update(byGrn(resource, params.grn), body, change) }
    },
  }),
  managerEndpoint('get', 'properties/:grn', {
    summary: 'List the properties of a manager version, or those implemented on a node type',
    params: { grn: grnOf('managerversion', 'nodetype') },
    gives: listOf(property),
    answer: async (models, { params: { grn } }) => ({
      properties: isOfType(grn, nodeType.grnType)
        ? await models.implemented(byGrn(nodeType, grn))
        : await models.parts(property, byGrn(managerVersion, grn)),
    }),
  }),
  managerEndpoint('delete', 'property/:grn/:property', {
    summary: 'Delete a property of a manager version, by grn or key, or its implementation on a node type',
    params: { grn: grnOf('managerversion', 'nodetype'), property: grnOrName('property') },
    gives: nothing,
    answer: (models, { params, ifMatch }) => models.remove(selectorOf(params), ifMatch).then(empty),
  }),
]

function selectorOf({ grn, property: grnOrKey }: { grn: string; property: string }) {
  if (isOfType(grn, managerVersion.grnType))
    return isMeantAsGrn(grnOrKey) ? byGrn(property, grnOrKey, grn) : byKey(property, grn, grnOrKey)
  if (isMeantAsGrn(grnOrKey)) return byEnds(grn, grnOrKey)
  throw errors.invalidRequest([{ path: 'property', message: 'must be a grn of type property' }])
}
