import { newPropertyImpl } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { nodeType, propertyImpl } from '../../shared/models/resources.ts'
import { byEnds, byGrn } from '../../shared/models/selector.ts'
import { managerBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { recordEndpoint } from './record-endpoint.ts'
import { byItsGrn, read, remove } from './selected-record.ts'

const ends = { nodeTypeGrn: grnOf('nodetype'), propertyGrn: grnOf('property') }

/** Seed, Manager: property implementations. Paths shared with properties are in `properties.ts`. */
export const propertyImpls = [
  recordEndpoint('post', 'property/:nodeTypeGrn/:propertyGrn', {
    summary: 'Add a property to a node type',
    params: ends,
    body: managerBody(newPropertyImpl, { displayValue: 'Title' }),
    of: propertyImpl,
    answer: (models, { params: { nodeTypeGrn, propertyGrn }, body, principal }) =>
      models.implement(byGrn(nodeType, nodeTypeGrn), propertyGrn, body, principal.name),
  }),
  read('property/:nodeTypeGrn/:propertyGrn', propertyImpl, {
    summary: 'Read the implementation of a property on a node type',
    params: ends,
    select: ({ nodeTypeGrn, propertyGrn }) => byEnds(nodeTypeGrn, propertyGrn),
  }),
  listEndpoint('propertyImpls/:grn', {
    summary: 'List the implementations of a property, or those on a node type',
    params: { grn: grnOf('nodetype', 'property') },
    of: propertyImpl,
    records: (models, params, page) => models.implementations(byItsGrn(params), page),
  }),
  remove('property/:managerVersionGrn/:nodeTypeGrn/:propertyGrn', {
    summary: 'Delete a property from a node type of a manager version',
    params: { managerVersionGrn: grnOf('managerversion'), ...ends },
    select: ({ nodeTypeGrn, propertyGrn, managerVersionGrn }) => byEnds(nodeTypeGrn, propertyGrn, managerVersionGrn),
  }),
]
