import * as errors from '../../shared/errors/catalogue.ts'
import { grnOrName } from '../../shared/models/fields.ts'
import { grnOf, grnTypeOf, isMeantAsGrn } from '../../shared/models/grn.ts'
import { managerVersion, nodeType, property, propertyImpl, resourceOf } from '../../shared/models/resources.ts'
import { byEnds, byGrn, byKey } from '../../shared/models/selector.ts'
import { changeOfEither, newPropertyBody, propertyChangeBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { eitherOf, empty, nothing } from './record-schemas.ts'
import { elementEndpoints } from './version-elements.ts'

const isOfType = (grn: unknown, type: string) => grnTypeOf(String(grn)) === type

const ofEither = { grn: grnOf('property', 'propertyimpl') }

/** Seed, Manager: properties. Where a path serves two operations, the grn's type decides. */
export const properties = [
  ...elementEndpoints(property, newPropertyBody, propertyChangeBody),
  managerEndpoint('get', 'property/:grn', {
    summary: 'Read a property or a property implementation',
    params: ofEither,
    gives: eitherOf(property, propertyImpl),
    async answer(models, { params: { grn } }) {
      const resource = resourceOf(grn)
      return { [resource.one]: await models.find(byGrn(resource, grn)) }
    },
  }),
  managerEndpoint('put', 'property/:grn', {
    summary: 'Change a property or a property implementation',
    params: ofEither,
    body: changeOfEither,
    gives: eitherOf(property, propertyImpl),
    async answer(models, { params, body, ...change }) {
      const resource = resourceOf(params.grn)
      return { [resource.one]: await models.update(byGrn(resource, params.grn), body, change) }
    },
  }),
  listEndpoint('properties/:grn', {
    summary: 'List the properties of a manager version, or those implemented on a node type',
    params: { grn: grnOf('managerversion', 'nodetype') },
    of: property,
    records: (models, { grn }, page) =>
      isOfType(grn, nodeType.grnType)
        ? models.implemented(byGrn(nodeType, grn), page)
        : models.parts(property, byGrn(managerVersion, grn), page),
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
