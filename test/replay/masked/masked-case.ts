import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { idText, mergeText, requestText } from '../../../packet/identity.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import type { Case } from '../generator/cases.ts'
import { equalIds, type Graph, type Node, type Properties } from '../generator/graph.ts'
import type { Request, Selected } from '../generator/requests.ts'
import { idPropertyOf, isMapped, labelOf, meantBy } from '../oracle/identities.ts'

type Action = 'drop' | 'hash' | 'null'

/** The fields `mask` and `only` of a request. */
export interface Rules {
  mask: Readonly<Record<string, Readonly<Record<string, Action>>>>
  only: Readonly<Record<string, readonly string[]>>
}

/** A publish is refused if a node has labels whose rules contradict each other. */
class Contradiction extends Error {}

/** No request finds in a masked origin exactly what the given one finds. */
class NoTwin extends Error {}

/** HMAC-SHA-256 by the textbook: of the value, under a key made of the org's and of label and property. */
export function hashed(orgKey: Buffer, name: string, property: string, value: unknown): string {
  const key = createHmac('sha256', orgKey)
    .update(JSON.stringify([name, property]))
    .digest()
  const rendered = renderValue(value, 'plain')
  if (rendered === null) throw new Error('no statement can hold this value')
  const isText = typeof value === 'string'
  const text = isText ? `s${idText(rendered)}` : `v${mergeText(rendered)}`
  return createHmac('sha256', key).update(text).digest('hex')
}

/**
 * The case without masks whose origin is masked instead: its packet must be the same. Null is not among the actions that
 * it knows, because no origin stores nulls.
 * @returns null if the rules contradict each other at one of the nodes, or if no such case exists
 */
export function maskedCase(given: Case, rules: Rules, orgKey: Buffer): Case | null {
  const mapping = given.requests[0]?.mappedIndices ?? {}
  const own = given.requests.find(({ relationshipIdField }) => relationshipIdField)?.relationshipIdField ?? null
  try {
    const origin: Graph = {
      nodes: given.origin.nodes.map((node) => {
        const label = labelOf(node, mapping)
        const id = label === null ? null : { name: label, key: idPropertyOf(mapping, label) }
        return { ...node, properties: masked(node.labels, id, node.properties, rules, orgKey) }
      }),
      relationships: given.origin.relationships.map((one) => {
        const id = own === null ? null : { name: one.type, key: own }
        return { ...one, properties: masked([one.type], id, one.properties, rules, orgKey) }
      }),
    }
    for (const request of given.requests) requireTwin(request, given.origin.nodes)
    return { ...given, origin, requests: given.requests.map((request) => asked(request, rules, orgKey, origin)) }
  } catch (error) {
    if (error instanceof Contradiction || error instanceof NoTwin) return null
    throw error
  }
}

/**
 * `hardFilterRelationships` knows an id of any type by its text, but origin ids find only texts and integers: with the
 * hash of another type among them, the twin would publish its node.
 */
function requireTwin(
  { hardFilterRelationships, originIds = [], mappedIndices }: Request,
  nodes: readonly Node[],
): void {
  if (!hardFilterRelationships) return
  for (const node of nodes) {
    const label = labelOf(node, mappedIndices)
    const value = label === null ? undefined : node.properties[idPropertyOf(mappedIndices, label)]
    if (value === undefined || typeof value === 'string' || typeof value === 'bigint') continue
    const rendered = renderValue(value, 'plain')
    const text = rendered === null ? null : requestText(rendered)
    if (text !== null && originIds.includes(text)) throw new NoTwin()
  }
}

interface Id {
  name: string
  key: string
}

const masked = (names: readonly string[], id: Id | null, properties: Properties, rules: Rules, orgKey: Buffer) =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]) => {
      const rule = ruleOf(names, id, key, rules)
      if (rule === null) return [[key, value]]
      if (rule.action === 'drop') return []
      const isUnpublishable = renderValue(value, 'plain') === null || (Number.isNaN(value) && key === id?.key)
      return [[key, isUnpublishable ? value : hashed(orgKey, rule.name, key, value)]]
    }),
  )

function ruleOf(names: readonly string[], id: Id | null, key: string, { mask, only }: Rules) {
  const all = names.flatMap((name) => {
    const action = mask[name]?.[key]
    return action ? [{ name, action }] : []
  })
  const isId = key === id?.key
  const first = all.find(({ name }) => name === id?.name)
  if (all.some(({ action }) => action !== all[0]?.action)) throw new Contradiction()
  if (isId && all.length > 0 && first?.action !== 'hash') throw new Contradiction()
  if (isId) return first ?? null
  const lists = names.flatMap((name) => (only[name] ? [only[name]] : []))
  if (lists.length > 0 && !lists.flat().includes(key)) return { name: '', action: 'drop' as const }
  if (all.length > 1 && all[0]?.action === 'hash' && first === undefined) throw new Contradiction()
  return first ?? all[0] ?? null
}

/** The request that asks the masked origin for the same. */
function asked(request: Request, { mask }: Rules, orgKey: Buffer, { nodes }: Graph): Request {
  const { mappedIndices: mapping, relationshipIdField: field } = request
  const label = request.index ?? (mapping.DEFAULT_INDEX as string)
  const forms = (names: readonly string[], property: string, values: readonly string[]) =>
    values.flatMap((value) =>
      names.flatMap((name) =>
        mask[name]?.[property] === 'hash' ? meantBy(value).map((one) => hashed(orgKey, name, property, one)) : [value],
      ),
    )
  const mapped = Object.keys(mapping).filter((name) => isMapped(mapping, name))
  // A selection of every label takes the default one, too, which the mapping may name only as the default.
  const every = [...new Set([...mapped, mapping.DEFAULT_INDEX as string])]
  // `hardFilterRelationships` compares the ends of `relationshipIds` with the ids, whatever their labels.
  const filters = request.hardFilterRelationships && (request.relationshipIds ?? []).length > 0
  const labels = filters ? [...new Set([...every, label])] : [label]
  const originIds = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const all = labels.flatMap((one) => forms([one], idPropertyOf(mapping, one), [id]))
      // An id that exists in one form is not missing in the other.
      const found = all.filter((form) => nodes.some((node) => labels.some((one) => isThere(node, one, form))))
      return found.length > 0 ? found : all
    })
  const isThere = (node: Node, one: string, form: string) =>
    node.labels.includes(one) &&
    meantBy(form).some((value) => equalIds(node.properties[idPropertyOf(mapping, one)], value))
  const where = ({ label, where }: Selected): Selected => ({
    label,
    ...(where && {
      where: Object.fromEntries(
        Object.entries(where).map(([key, values]) => [
          key,
          [...new Set(forms(label === '*' ? every : [label], key, [values].flat()))],
        ]),
      ),
    }),
  })
  const types = ['GEN_T', 'GEN_U', 'GEN_V']
  return {
    ...request,
    ...(request.originIds ? { originIds: [...new Set(originIds(request.originIds))] } : {}),
    ...(request.relationshipIds
      ? { relationshipIds: [...new Set(forms(types, field as string, request.relationshipIds))] }
      : {}),
    ...(request.select ? { select: request.select.map(where) } : {}),
  }
}

/** The graph with one relationship of those that are parallel: which one stays depends on internal ids. */
export function withoutParallel({ nodes, relationships }: Graph): Graph {
  const isFirst = (at: number) =>
    !relationships
      .slice(0, at)
      .some((earlier) =>
        isDeepStrictEqual(endsOf(earlier), endsOf(relationships[at] as Graph['relationships'][number])),
      )
  return { nodes, relationships: relationships.filter((_, at) => isFirst(at)) }
}

const endsOf = ({ type, from, to }: Graph['relationships'][number]) => [type, from, to]
