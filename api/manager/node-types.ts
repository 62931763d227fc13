import { grnOf } from '../../shared/models/grn.ts'
import { nodeType } from '../../shared/models/resources.ts'
import { byKey } from '../../shared/models/selector.ts'
import { newNodeTypeBody, nodeTypeChangeBody } from './bodies.ts'
import { listEndpoint } from './list-endpoint.ts'
import { byItsGrn, change, read, remove } from './selected-record.ts'
import { elementEndpoints, inVersion } from './version-elements.ts'

const nodeTypeGrn = grnOf('nodetype')

/** Seed, Manager: node types. */
export const nodeTypes = [
  ...elementEndpoints(nodeType, newNodeTypeBody, nodeTypeChangeBody),
  read('nodeType/:grn', nodeType, { summary: 'Read a node type', params: { grn: nodeTypeGrn }, select: byItsGrn }),
  change('nodeType/:nodeTypeGrn', nodeType, nodeTypeChangeBody, {
    summary: 'Change a node type',
    params: { nodeTypeGrn },
    select: byItsGrn,
  }),
  listEndpoint('nodeTypes/:managerVersionGrn', {
    summary: 'List the node types of a manager version',
    params: { managerVersionGrn: grnOf('managerversion') },
    of: nodeType,
    records: (models, params, page) => models.parts(nodeType, byItsGrn(params), page),
  }),
  remove('nodeType/:nodeTypeGrn', {
    summary: 'Delete a node type, with its property implementations and their constraints',
    params: { nodeTypeGrn },
    select: byItsGrn,
  }),
  remove('nodeType/:managerVersionGrn/:name', {
    summary: 'Delete a node type by its key',
    params: inVersion,
    select: ({ managerVersionGrn, name }) => byKey(nodeType, managerVersionGrn, name),
  }),
]
