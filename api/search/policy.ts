import { byCodePoint } from '../../shared/cypher/identifiers.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { ModelledType } from '../../shared/manager/latest-model.ts'
import { indexNames, indexPolicy } from '../../shared/search/index-policy.ts'
import { isIndexable } from '../../shared/search/strategies.ts'
import type { ApiContext } from '../context.ts'
import type { Answer } from '../endpoint.ts'
import { inTurns } from '../in-turns.ts'
import { configured } from '../manager/configured.ts'

/** Policies follow this manager, whatever org has it: names of managers are unique. Contract 10, Search. */
const modelName = 'default'

interface Custom {
  nodeTypes: readonly string[]
  indexName: string | null
}

/**
 * The policy of the model's node types, by key; a custom one of those that were asked for, in their order.
 * @throws noSuchNodeType (404), notIndexable (422), managerAway (503)
 */
export async function policy({ models }: ApiContext, policyName: string, custom: Custom | null): Promise<Answer> {
  const asked = custom && [...new Set(custom.nodeTypes)]
  const model = await configured(models).latest(modelName, asked)
  const names = indexNames(model.map(({ key }) => key))
  const { nodeTypes, leftOut } = asked ? { nodeTypes: chosen(model, asked), leftOut: [] } : indexable(model)
  const order = { policyName, nodeTypes, names, leftOut, custom, now: new Date() }
  return { kind: 'chunks', chunks: inTurns(indexPolicy(order)) }
}

function indexable(model: readonly ModelledType[]) {
  const sorted = model.toSorted((a, b) => byCodePoint(a.key, b.key))
  return {
    nodeTypes: sorted.filter(({ key }) => isIndexable(key)),
    leftOut: sorted.flatMap(({ key }) => (isIndexable(key) ? [] : [key])),
  }
}

function chosen(model: readonly ModelledType[], keys: readonly string[]): ModelledType[] {
  const byKey = new Map(model.map((type) => [type.key, type]))
  return keys.map((key) => {
    const type = byKey.get(key)
    if (!type) throw errors.noSuchNodeType(key)
    if (!isIndexable(key)) throw errors.notIndexable(key)
    return type
  })
}
