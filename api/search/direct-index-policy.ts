import { z } from 'zod'
import { noOrg } from '../http/access.ts'
import { type BodyReader, defineEndpoint } from '../http/endpoint.ts'
import { name, nodeTypesBody, strategyName } from './parameters.ts'
import { policy } from './policy.ts'
import { policySchema } from './policy-schema.ts'

type Body = { nodeTypes: string[] } | null

/** Clients also send the custom request as GET; the body distinguishes the two. Seed, Search. */
const optionalBody: BodyReader<Body> = {
  ...nodeTypesBody,
  isOptional: true,
  read: (body, params) => (body === undefined ? { value: null, issues: [] } : nodeTypesBody.read(body, params)),
}

/** Seed, Search: the direct index. With a body it is the custom index, which the usage example also requests by GET. */
export const directIndexPolicy = defineEndpoint({
  method: 'get',
  path: '/1.0/search/:clusterName/directIndexPolicy/:policyName/:indexStrategy',
  summary: 'An index policy for all node types of the model; with a body, for the node types in it',
  scope: 'search:read',
  access: noOrg,
  params: z.object({ clusterName: name, policyName: name, indexStrategy: strategyName }),
  query: z.strictObject({}),
  body: optionalBody,
  answer: policySchema,
  answers: { 404: 'A node type does not exist', 422: 'A node type has a key that no statement can name' },
  async handle(context, { params, body }) {
    const custom = body && { nodeTypes: body.nodeTypes, indexName: null }
    return policy(context, params.policyName, custom)
  },
})
