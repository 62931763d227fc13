import * as errors from '../../shared/errors/catalogue.ts'
import { type IndexedType, type IndexPolicy, indexPolicy } from '../../shared/search/index-policy.ts'
import { isIndexable } from '../../shared/search/strategies.ts'
import type { ApiContext } from '../context.ts'
import { configured } from '../manager/manager-endpoint.ts'

/** Policies follow the latest version of this manager. Contract 10, Search. */
const modelName = 'default'

interface Custom {
  nodeTypes: readonly string[]
  indexName: string | null
}

/**
 * The policy of the model's node types, in its order; a custom one of those that were asked for, in theirs.
 * @throws noSuchNodeType (404), notIndexable (422), managerAway (503)
 */
export async function policy({ models }: ApiContext, policyName: string, custom: Custom | null): Promise<IndexPolicy> {
  const model = await configured(models).latest(modelName)
  const nodeTypes = custom ? chosen(model, custom.nodeTypes) : model
  for (const { key } of nodeTypes) if (!isIndexable(key)) throw errors.notIndexable(key)
  return indexPolicy({ policyName, nodeTypes, custom, now: new Date() })
}

function chosen(model: readonly IndexedType[], keys: readonly string[]): IndexedType[] {
  return [...new Set(keys)].map((key) => {
    const type = model.find((candidate) => candidate.key === key)
    if (!type) throw errors.noSuchNodeType(key)
    return type
  })
}
