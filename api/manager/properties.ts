import * as errors from '../../shared/errors/catalogue.ts'
import { grnOrName } from '../../shared/models/fields.ts'
import { grnOf, isMeantAsGrn } from '../../shared/models/grn.ts'
import { managerVersion, nodeType, property, propertyImpl, resourceOf } from '../../shared/models/resources.ts'
import { byEnds, byGrn, byKey } from '../../shared/models/selector.ts'
import { changeOfEither, newPropertyBody, propertyChangeBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { byItsGrn, change, read, remove } from './selected-record.ts'
import { elementEndpoints } from './version-elements.ts'

const either = [property, propertyImpl]
const ofEither = { grn: grnOf('property', 'propertyimpl') }

/** Seed, Manager: properties. Where a path serves two operations, the grn's type decides. */
export const properties = [
  ...elementEndpoints(property, newPropertyBody, propertyChangeBody),
  read('property/:grn', either, {
    summary: 'Read a property or a property implementation',
    params: ofEither,
    select: byItsGrn,
  }),
  change('property/:grn', either, changeOfEither, {
    summary: 'Change a property or a property implementation',
    params: ofEither,
    select: byItsGrn,
  }),
  listEndpoint('properties/:grn', {
    summary: 'List the properties of a manager version, or those implemented on a node type',
    params: { grn: grnOf('managerversion', 'nodetype') },
    of: property,
    records(models, params, page) {
      const whole = byItsGrn(params)
      return whole.resource === nodeType ? models.implemented(whole, page) : models.parts(property, whole, page)
    },
  }),
  remove('property/:grn/:property', {
    summary: 'Delete a property of a manager version, by grn or key, or its implementation on a node type',
    params: { grn: grnOf('managerversion', 'nodetype'), property: grnOrName('property') },
    select({ grn, property: grnOrKey }) {
      if (resourceOf(grn) === managerVersion)
        return isMeantAsGrn(grnOrKey) ? byGrn(property, grnOrKey, grn) : byKey(property, grn, grnOrKey)
      if (isMeantAsGrn(grnOrKey)) return byEnds(grn, grnOrKey)
      throw errors.invalidRequest([{ path: 'property', message: 'must be a grn of type property' }])
    },
  }),
]
