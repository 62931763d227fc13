import { grnOrName, managerFields, name } from '../../shared/models/fields.ts'
import { grnOf, isMeantAsGrn, orgNameOf } from '../../shared/models/grn.ts'
import { manager, resourceOf } from '../../shared/models/resources.ts'
import { byGrn, byName } from '../../shared/models/selector.ts'
import { managerBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { empty, nothing, oneOf } from './record-schemas.ts'

/** Seed, Manager: managers, and the path on which four kinds of records are deleted. */
export const managers = [
  managerEndpoint('post', ':orgGrn', {
    summary: 'Create a manager, with its first version',
    params: { orgGrn: grnOf('org') },
    body: managerBody(managerFields, { name: 'films' }),
    gives: oneOf(manager),
    answer: async (models, { params, body, principal }) => ({
      manager: await models.createManager(body.name, principal.name, orgNameOf(params.orgGrn)),
    }),
  }),
  listEndpoint('', {
    summary: "List the managers of the token's orgs",
    params: {},
    of: manager,
    records: (models, _params, page) => models.managers(page),
  }),
  managerEndpoint('get', 'name/:managerName', {
    summary: 'Read a manager by its name',
    params: { managerName: name },
    gives: oneOf(manager),
    answer: async (models, { params }) => ({ manager: await models.find(byName(manager, params.managerName)) }),
  }),
  managerEndpoint('get', ':manager', {
    summary: 'Read a manager by its grn or its name',
    params: { manager: grnOrName('manager') },
    gives: oneOf(manager),
    answer: async (models, { params }) => ({
      manager: await models.find((isMeantAsGrn(params.manager) ? byGrn : byName)(manager, params.manager)),
    }),
  }),
  managerEndpoint('delete', ':grn', {
    summary: 'Delete a manager, a property, a node type or a property implementation, with all that is part of it',
    params: { grn: grnOf('manager', 'property', 'nodetype', 'propertyimpl') },
    gives: nothing,
    answer: (models, { params, ifMatch }) =>
      models.remove(byGrn(resourceOf(params.grn), params.grn), ifMatch).then(empty),
  }),
]
