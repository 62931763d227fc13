import { grnOf } from '../../shared/models/grn.ts'
import { managerVersion, nodeType } from '../../shared/models/resources.ts'
import { byGrn, byKey } from '../../shared/models/selector.ts'
import { newNodeTypeBody, nodeTypeChangeBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { empty, nothing, oneOf } from './record-schemas.ts'
import { elementEndpoints, inVersion } from './version-elements.ts'

const nodeTypeGrn = grnOf('nodetype')

/** Seed, Manager: node types. */
export const nodeTypes = [
  ...elementEndpoints(nodeType, newNodeTypeBody, nodeTypeChangeBody),
  managerEndpoint('get', 'nodeType/:grn', {
    summary: 'Read a node type',
    params: { grn: nodeTypeGrn },
    gives: oneOf(nodeType),
    answer: async (models, { params }) => ({ nodeType: await models.find(byGrn(nodeType, params.grn)) }),
  }),
  managerEndpoint('put', 'nodeType/:nodeTypeGrn', {
    summary: 'Change a node type',
    params: { nodeTypeGrn },
    body: nodeTypeChangeBody,
    gives: oneOf(nodeType),
    answer: async (models, { params, body, ...change }) => ({
      nodeType: await models.update(byGrn(nodeType, params.nodeTypeGrn), body, change),
    }),
  }),
  listEndpoint('nodeTypes/:managerVersionGrn', {
    summary: 'List the node types of a manager version',
    params: { managerVersionGrn: grnOf('managerversion') },
    of: nodeType,
    records: (models, params, page) => models.parts(nodeType, byGrn(managerVersion, params.managerVersionGrn), page),
  }),
  managerEndpoint('delete', 'nodeType/:nodeTypeGrn', {
    summary: 'Delete a node type, with its property implementations and their constraints',
    params: { nodeTypeGrn },
    gives: nothing,
    answer: (models, { params, ifMatch }) => models.remove(byGrn(nodeType, params.nodeTypeGrn), ifMatch).then(empty),
  }),
  managerEndpoint('delete', 'nodeType/:managerVersionGrn/:name', {
    summary: 'Delete a node type by its key',
    params: inVersion,
    gives: nothing,
    answer: (models, { params, ifMatch }) =>
      models.remove(byKey(nodeType, params.managerVersionGrn, params.name), ifMatch).then(empty),
  }),
]
