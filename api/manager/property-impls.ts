import { newPropertyImpl } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { nodeType, propertyImpl, resourceOf } from '../../shared/models/resources.ts'
import { byEnds, byGrn } from '../../shared/models/selector.ts'
import { managerBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { empty, nothing, oneOf } from './record-schemas.ts'

const ends = { nodeTypeGrn: grnOf('nodetype'), propertyGrn: grnOf('property') }

/** Seed, Manager: property implementations. Paths shared with properties are in `properties.ts`. */
export const propertyImpls = [
  managerEndpoint('post', 'property/:nodeTypeGrn/:propertyGrn', {
    summary: 'Add a property to a node type',
    params: ends,
    body: managerBody(newPropertyImpl, { displayValue: 'Title' }),
    gives: oneOf(propertyImpl),
    answer: async (models, { params, body, principal }) => ({
      propertyImpl: await models.implement(
        byGrn(nodeType, params.nodeTypeGrn),
        params.propertyGrn,
        body,
        principal.name,
      ),
    }),
  }),
  managerEndpoint('get', 'property/:nodeTypeGrn/:propertyGrn', {
    summary: 'Read the implementation of a property on a node type',
    params: ends,
    gives: oneOf(propertyImpl),
    answer: async (models, { params }) => ({
      propertyImpl: await models.find(byEnds(params.nodeTypeGrn, params.propertyGrn)),
    }),
  }),
  listEndpoint('propertyImpls/:grn', {
    summary: 'List the implementations of a property, or those on a node type',
    params: { grn: grnOf('nodetype', 'property') },
    of: propertyImpl,
    records: (models, { grn }, page) => models.implementations(byGrn(resourceOf(grn), grn), page),
  }),
  managerEndpoint('delete', 'property/:managerVersionGrn/:nodeTypeGrn/:propertyGrn', {
    summary: 'Delete a property from a node type of a manager version',
    params: { managerVersionGrn: grnOf('managerversion'), ...ends },
    gives: nothing,
    answer: (models, { params, ifMatch }) =>
      models.remove(byEnds(params.nodeTypeGrn, params.propertyGrn, params.managerVersionGrn), ifMatch).then(empty),
  }),
]
