import { quote } from '../../../shared/packet/cypher/identifiers.ts'
import { type Identity, mergeText } from '../../../shared/packet/identity.ts'
import type { KeepClause, KeepList } from '../../../shared/packet/kinds/cleanup.ts'
import { renderValue } from '../../../shared/packet/values/render-value.ts'
import type { Rendered } from '../../../shared/packet/values/values.ts'
import { eachRow } from '../order/over-rows.ts'
import { equalsNothing, irreversible } from './elements.ts'
import type { Images } from './images.ts'
import { type Seen, seen, type TargetReader } from './target-reader.ts'

/** A relationship that a pair adds out of a node that is there. */
export interface Addition {
  node: bigint
  start: Identity
  type: string
  /** Describes its start and end. */
  about: string
  /** Its own id, if other relationships connect the same ends; else null. */
  parallel: OwnId | null
}

/** The property that distinguishes parallel relationships, and its value as a text, the same for equal values. */
export interface OwnId {
  key: string
  text: string
}

const byNode = `${eachRow} MATCH (a) WHERE id(a) = row.node WITH at, a`

/** Saves which relationships lead out of the nodes to which the packet adds some. */
export async function saveKept(additions: readonly Addition[], reader: TargetReader, images: Images): Promise<void> {
  const isFirst = ({ node, type }: Addition) => images.isNew('kept', `${node}`, type)
  const byEnd = additions.filter((one) => one.parallel === null && isFirst(one))
  for (const alike of Map.groupBy(byEnd, ({ type }) => type).values()) await saveFarEnds(alike, reader, images)
  const parallel = additions.filter((one): one is ParallelAddition => one.parallel !== null)
  for (const alike of Map.groupBy(parallel, ({ node, type }) => `${node} ${type}`).values()) {
    await saveOwnIds(alike as [ParallelAddition], reader, images)
  }
}

type ParallelAddition = Addition & { parallel: OwnId }

async function saveFarEnds(alike: readonly Addition[], reader: TargetReader, images: Images): Promise<void> {
  const { type } = alike[0] as Addition
  const far = `${byNode} MATCH (a)-[:${quote(type)}]->(m) WITH DISTINCT at, m`
  const rows = alike.map(({ node }) => ({ node }))
  const lists = alike.map(() => new Map<string, KeepList>())
  for await (const { at, end } of reader.read<{ end: Seen }>(`${far} RETURN at, ${seen('m')} AS end`, rows)) {
    const { label, idProperty, id } = await reader.identify(end)
    const clause = { by: 'farEnd' as const, direction: 'out' as const, label, idProperty, id: expressionOf(id) }
    keep(lists[at] as Map<string, KeepList>, clause, id)
  }
  for (const [at, { start }] of alike.entries()) {
    await images.cleanup(start, type, [...(lists[at] as Map<string, KeepList>).values()])
  }
}

/**
 * Far ends cannot distinguish an added relationship from a parallel one. Ids can, if all relationships have one.
 * @param alike additions of one type out of one node
 */
async function saveOwnIds(
  alike: readonly [ParallelAddition, ...ParallelAddition[]],
  reader: TargetReader,
  images: Images,
): Promise<void> {
  const [{ node, start, type, parallel }] = alike
  const { key } = parallel
  const byId = new Map(alike.map((one) => [one.parallel.text, one]))
  const irreversibly = ({ about }: ParallelAddition, problem: string) =>
    irreversible(`a relationship ${about} that would be parallel to others`, problem)
  const query = `${byNode} MATCH (a)-[r:${quote(type)}]->() RETURN id(r) AS r, r.${quote(key)} AS id`
  const lists = new Map<string, KeepList>()
  for await (const row of reader.read<{ r: bigint; id: unknown }>(query, [{ node }])) {
    const properties = { keys: [key], values: [row.id] }
    await reader.complete('relationship', row.r, properties)
    const [value] = properties.values
    const id = value === null || equalsNothing(value) ? null : renderValue(value)
    if (id === null) throw irreversibly(alike[0], `could not be distinguished from one without ${key}`)
    const same = byId.get(mergeText(id))
    if (same) throw irreversibly(same, `has the ${key} of a relationship to another node`)
    keep(lists, { by: 'relationshipId', field: key, id: expressionOf(id) }, id)
  }
  if (images.isNew('kept by id', `${node}`, type)) await images.cleanup(start, type, [...lists.values()])
}

function keep(lists: Map<string, KeepList>, clause: KeepClause, { json }: Rendered): void {
  const key = JSON.stringify(clause)
  const list = lists.get(key) ?? { clause, ids: new Set() }
  list.ids.add(json)
  lists.set(key, list)
}

const expressionOf = ({ wrap, list }: Rendered) => ({ wrap, list })
