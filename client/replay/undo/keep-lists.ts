import { quote } from '../../../packet/cypher/identifiers.ts'
import { type Identity, mergeText } from '../../../packet/identity.ts'
import type { KeepClause, KeepList } from '../../../packet/kinds/keep-clauses.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import type { Rendered } from '../../../packet/values/values.ts'
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
    keep(lists[at] as Map<string, KeepList>, clause, id.json)
  }
  for (const [at, { start }] of alike.entries()) {
    await images.cleanup(start, type, [...(lists[at] as Map<string, KeepList>).values()])
  }
}

type Parallel = readonly [ParallelAddition, ...ParallelAddition[]]

/**
 * Far ends cannot distinguish an added relationship from a parallel one. Ids can, if all relationships have one and none
 * to another node has the same.
 * @param alike additions of one type out of one node
 */
async function saveOwnIds(alike: Parallel, reader: TargetReader, images: Images): Promise<void> {
  const [{ node, start, type, parallel }] = alike
  const field = parallel.key
  const added = new Set(alike.map((one) => one.parallel.text))
  const lists = new Map<string, KeepList>()
  for await (const { id } of readOwnIds(alike, '', reader)) {
    if (added.has(mergeText(id))) return saveFarEndsAndIds(alike, reader, images)
    keep(lists, { by: 'relationshipId', field, id: expressionOf(id) }, id.json)
  }
  if (images.isNew('kept by id', `${node}`, type)) await images.cleanup(start, type, [...lists.values()])
}

/** Saves the far ends and ids together: an added relationship may have the id of one to another node. */
async function saveFarEndsAndIds(alike: Parallel, reader: TargetReader, images: Images): Promise<void> {
  const [{ node, start, type, parallel }] = alike
  if (!images.isNew('kept by end and id', `${node}`, type)) return
  const lists = new Map<string, KeepList>()
  for await (const { id, end } of readOwnIds(alike, `, ${seen('m')} AS end`, reader)) {
    const { id: farId, ...far } = await reader.identify(end)
    const expressions = { id: expressionOf(farId), relationshipId: expressionOf(id) }
    const clause = {
      by: 'farEndAndId' as const,
      direction: 'out' as const,
      ...far,
      field: parallel.key,
      ...expressions,
    }
    keep(lists, clause, `[${farId.json},${id.json}]`)
  }
  await images.cleanup(start, type, [...lists.values()])
}

/** Reads the ids of all relationships that are parallel to the additions, or lead to other nodes. */
async function* readOwnIds([{ node, type, parallel, about }]: Parallel, more: string, reader: TargetReader) {
  const { key } = parallel
  const query = `${byNode} MATCH (a)-[r:${quote(type)}]->(m) RETURN id(r) AS r, r.${quote(key)} AS id${more}`
  for await (const { r, id: read, end } of reader.read<{ r: bigint; id: unknown; end: Seen }>(query, [{ node }])) {
    const properties = { keys: [key], values: [read] }
    await reader.complete('relationship', r, properties)
    const [value] = properties.values
    const id = value === null || equalsNothing(value) ? null : renderValue(value)
    if (id === null) {
      const problem = `could not be distinguished from one without ${key}`
      throw irreversible(`a relationship ${about} that would be parallel to others`, problem)
    }
    yield { id, end }
  }
}

function keep(lists: Map<string, KeepList>, clause: KeepClause, id: string): void {
  const key = JSON.stringify(clause)
  const list = lists.get(key) ?? { clause, ids: new Set() }
  list.ids.add(id)
  lists.set(key, list)
}

const expressionOf = ({ wrap, list }: Rendered) => ({ wrap, list })
