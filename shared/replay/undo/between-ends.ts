import type { Relationship } from 'neo4j-driver'
import { quote } from '../../cypher/identifiers.ts'
import { template } from '../../cypher/parameters.ts'
import { renderValue } from '../../cypher/values.ts'
import { anchorPattern, type Field, named } from '../../publish/pairs/statements/statement.ts'
import { mergeText } from '../../publish/request/identity.ts'
import { stringifyLossless } from '../lossless-json.ts'
import type { Item } from '../order/batches.ts'
import { eachRow, withRowFields } from '../order/over-rows.ts'
import { type IdentifiedNode, identitiesOf, typeBetween } from '../statements/identities.ts'
import { namedBy } from './facts.ts'
import { describeIdentity, irreversible } from './identities.ts'
import type { Images } from './images.ts'
import type { Addition, OwnId } from './keep-lists.ts'
import { type Seen, seen, type TargetReader } from './target-reader.ts'

interface Between {
  start: Seen
  end: Seen
  found: Relationship[]
}

/**
 * Saves the relationships that the items set, and the ends that they make.
 * @returns the relationships that they add between nodes that are there.
 */
export async function saveBetween(items: readonly Item[], reader: TargetReader, images: Images): Promise<Addition[]> {
  const additions: Addition[] = []
  const between = items.filter(({ recognised }) => typeBetween(recognised) !== null)
  for (const [query, alike] of Map.groupBy(between, queryOf)) {
    const type = typeBetween((alike[0] as Item).recognised) as string
    const rows = alike.map(({ recognised, parameters }) =>
      Object.fromEntries(identitiesOf(recognised).map(({ parameter }) => [parameter, parameters[parameter]])),
    )
    const met = new Set<number>()
    for await (const { at, ...found } of reader.read<Between>(query, rows)) {
      const item = alike[at] as Item
      if (met.has(at)) throw irreversible(`an end of ${describe(item, type)}`, 'is there several times')
      met.add(at)
      const addition = await saveOne(item, type, found, reader, images)
      if (addition !== null) additions.push(addition)
    }
  }
  return additions
}

async function saveOne(
  item: Item,
  type: string,
  { start, end, found }: Between,
  reader: TargetReader,
  images: Images,
): Promise<Addition | null> {
  const { kind } = item.recognised
  if (start.node === null || end.node === null) {
    // A new end is deleted with its relationships. Only an upsert makes ends.
    const absent = namedBy(item).filter((_, index) => [start, end][index]?.node === null)
    if (kind === 'relationshipUpsert') for (const { identity } of absent) await images.absentNode(identity)
    return null
  }
  // MERGE of a relationship without an id is content with any.
  if (kind === 'relationshipCreate' && found.length > 0) return null
  const ends = { start: await reader.identify(start), type, end: await reader.identify(end) }
  const own = ownIdOf(item, describe(item, type))
  const set = own === null ? found : await withId(found, own, reader)
  if (set.length > 0) await images.relationships(ends, set)
  if (set.length > 0 || kind === 'postback') return null
  const parallel = found.length > 0 ? own : null
  return { start: ends.start, type, node: start.node, about: describe(item, type), parallel }
}

/** `:Person p1 -KNOWS-> :Person p2` */
const describe = (item: Item, type: string): string =>
  namedBy(item)
    .map(({ identity }) => describeIdentity(identity))
    .join(` -${type}-> `)

async function withId(found: readonly Relationship[], { key, text }: OwnId, reader: TargetReader) {
  const matching: Relationship[] = []
  for (const one of found) {
    const properties = { keys: [key], values: [one.properties[key] ?? null] }
    await reader.complete('relationship', one.identity as unknown as bigint, properties)
    const [value] = properties.values
    const rendered = value === null ? null : renderValue(value)
    if (rendered !== null && mergeText(rendered) === text) matching.push(one)
  }
  return matching
}

/** Finds the ends that a pair names, and the relationships of its type between them. */
function queryOf({ recognised }: Item): string {
  const type = typeBetween(recognised) as string
  const [start, end] = identitiesOf(recognised) as [IdentifiedNode, IdentifiedNode]
  const [a, b] = [anchorPattern('a', start, start.parameter), anchorPattern('b', end, end.parameter)]
  // Both ends first: as one pattern, every relationship of a hub would be visited for each row.
  const ends = withRowFields(template`OPTIONAL MATCH ${a} OPTIONAL MATCH ${b}`)
  const between = `OPTIONAL MATCH (a)-[r:${quote(type)}]->(b) WITH at, a, b, collect(r) AS found`
  return `${eachRow} ${ends} ${between} RETURN at, ${seen('a')} AS start, ${seen('b')} AS end, found`
}

/** The id by which a pair finds a relationship; null if by its ends alone. */
function ownIdOf({ recognised: it, parameters }: Item, about: string): OwnId | null {
  if (it.kind === 'relationshipUpsert') {
    const id = named(it.fields).find(({ key }) => key === it.idField)
    return id ? ownId(id, parameters[id.name], about) : null
  }
  if (it.kind !== 'postback' || it.of !== 'relationship' || it.id === null) return null
  return ownId(it.id, parameters[it.parameters[2] as string], about)
}

function ownId({ key, value: { wrap, list } }: Field, value: unknown, about: string): OwnId {
  if (list && (wrap === 'timeByFields' || wrap === 'datetimeByFields')) {
    throw irreversible(`the relationship ${about}`, `is found by a list of times as ${key}, each given by its fields`)
  }
  return { key, text: mergeText({ wrap, list, json: stringifyLossless(value) }) }
}
