import { z } from 'zod'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { name, nodeTypesBody, strategyName } from './parameters.ts'
import { policy } from './policy.ts'
import { policySchema } from './policy-schema.ts'

const shared = {
  method: 'post',
  summary: 'An index policy for some node types of the model',
  scope: 'search:read',
  access: noOrg,
  query: z.strictObject({}),
  body: nodeTypesBody,
  answer: policySchema,
  answers: { 404: 'A node type does not exist', 422: 'A node type has a key that no statement can name' },
} as const

/** Seed, Search: custom direct index with index policy. */
export const customIndexPolicy = defineEndpoint({
  ...shared,
  path: '/1.0/search/:clusterName/directIndex/:policyName/:indexName/:indexStrategyName',
  params: z.object({ clusterName: name, policyName: name, indexName: name, indexStrategyName: strategyName }),
  async handle(context, { params: { policyName, indexName }, body: { nodeTypes } }) {
    return policy(context, policyName, { nodeTypes, indexName })
  },
})

/** The same, on the path shown in the usage example. */
export const customIndexPolicyByExample = defineEndpoint({
  ...shared,
  path: '/1.0/search/:clusterName/directIndexPolicy/:policyName/:indexStrategy',
  params: z.object({ clusterName: name, policyName: name, indexStrategy: strategyName }),
  async handle(context, { params: { policyName }, body: { nodeTypes } }) {
    return policy(context, policyName, { nodeTypes, indexName: null })
  },
})
