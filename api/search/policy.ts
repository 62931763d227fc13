import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { indexNames, indexPolicy } from '../../shared/models/search/index-policy.ts'
import { isIndexable } from '../../shared/models/search/strategies.ts'
import { sharedManager } from '../../shared/models/versions.ts'
import type { ApiContext } from '../context.ts'
import { chunkedText } from '../http/body/chunked-text.ts'
import type { Answer } from '../http/endpoint.ts'
import { requireModels } from '../manager/require-models.ts'

const typesAtOnce = 200

interface Custom {
  nodeTypes: readonly string[]
  indexName: string | null
}

/**
 * The index policy of all node types of the model, sorted by key; a custom one has the requested ones, in their order.
 * @throws noSuchNodeType (404), notIndexable (422), managerAway (503)
 */
export async function policy({ models }: ApiContext, policyName: string, custom: Custom | null): Promise<Answer> {
  const model = await requireModels(models).latest(sharedManager)
  const keys = custom ? chosen(model.keys, custom.nodeTypes) : model.keys.filter(isIndexable).sort(byCodePoint)
  const leftOut = custom ? [] : model.keys.filter((key) => !isIndexable(key)).sort(byCodePoint)
  const [first, ...more] = batches(keys)
  // Read before the response starts, so that an unavailable database still answers 503.
  const beginning = first ? await model.types(first) : []
  async function* nodeTypes() {
    yield* beginning
    for (const batch of more) yield* await model.types(batch)
  }
  const order = {
    policyName,
    keys,
    nodeTypes: nodeTypes(),
    names: indexNames(model.keys),
    leftOut,
    custom,
    now: new Date(),
  }
  return { kind: 'chunks', chunks: chunkedText(indexPolicy(order)) }
}

function* batches(keys: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < keys.length; from += typesAtOnce) yield keys.slice(from, from + typesAtOnce)
}

function chosen(all: readonly string[], requested: readonly string[]): string[] {
  const known = new Set(all)
  return [...new Set(requested)].map((key) => {
    if (!known.has(key)) throw errors.noSuchNodeType(key)
    if (!isIndexable(key)) throw errors.notIndexable(key)
    return key
  })
}
