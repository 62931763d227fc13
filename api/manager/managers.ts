import { grnOrName, managerFields, name } from '../../shared/models/fields.ts'
import { grnOf, isMeantAsGrn, orgNameOf } from '../../shared/models/grn.ts'
import { manager } from '../../shared/models/resources.ts'
import { byGrn, byName } from '../../shared/models/selector.ts'
import { managerBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { recordEndpoint } from './record-endpoint.ts'
import { byItsGrn, read, remove } from './selected-record.ts'

/** Seed, Manager: managers, and the path on which four kinds of records are deleted. */
export const managers = [
  recordEndpoint('post', ':orgGrn', {
    summary: 'Create a manager, with its first version',
    params: { orgGrn: grnOf('org') },
    body: managerBody(managerFields, { name: 'films' }),
    of: manager,
    answer: (models, { params, body, principal }) =>
      models.createManager(body.name, principal.name, orgNameOf(params.orgGrn)),
  }),
  listEndpoint('', {
    summary: "List the managers of the token's orgs",
    params: {},
    of: manager,
    records: (models, _params, page) => models.managers(page),
  }),
  read('name/:managerName', manager, {
    summary: 'Read a manager by its name',
    params: { managerName: name },
    select: ({ managerName }) => byName(manager, managerName),
  }),
  read(':manager', manager, {
    summary: 'Read a manager by its grn or its name',
    params: { manager: grnOrName('manager') },
    select: ({ manager: grnOrName }) => (isMeantAsGrn(grnOrName) ? byGrn : byName)(manager, grnOrName),
  }),
  remove(':grn', {
    summary: 'Delete a manager, a property, a node type or a property implementation, with all that is part of it',
    params: { grn: grnOf('manager', 'property', 'nodetype', 'propertyimpl') },
    select: byItsGrn,
  }),
]
