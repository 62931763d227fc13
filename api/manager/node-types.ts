import { grnOf } from '../../shared/manager/grn.ts'
import { managerVersion, nodeType } from '../../shared/manager/resources.ts'
import { byGrn, byKey } from '../../shared/manager/selector.ts'
import { newNodeTypeBody, nodeTypeChangeBody } from './bodies.ts'
import { empty, managerEndpoint } from './manager-endpoint.ts'
import { listOf, nothing, oneOf } from './record-schemas.ts'
import { elementEndpoints, inVersion } from './version-elements.ts'

const nodeTypeGrn = grnOf('nodetype')

/** Seed, Manager: node types. */
export const nodeTypes = [
  ...elementEndpoints(nodeType, newNodeTypeBody, nodeTypeChangeBody),
  managerEndpoint('put', 'nodeType/:nodeTypeGrn', {
    summary: 'Change a node type',
    params: { nodeTypeGrn },
    body: nodeTypeChangeBody,
    gives: oneOf(nodeType),
    answer: async (models, { params, body, ...change }) => ({
      nodeType: await models.update(byGrn(nodeType, params.nodeTypeGrn), body, change),
    }),
  }),
  managerEndpoint('get', 'nodeTypes/:managerVersionGrn', {
    summary: 'List the node types of a manager version',
    params: { managerVersionGrn: grnOf('managerversion') },
    gives: listOf(nodeType),
    answer: async (models, { params }) => ({
      nodeTypes: await models.parts(nodeType, byGrn(managerVersion, params.managerVersionGrn)),
    }),
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
