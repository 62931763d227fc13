import type { Relationship } from 'neo4j-driver'
import { quote } from '../../../packet/cypher/identifiers.ts'
import { template } from '../../../packet/cypher/parameters.ts'
import { mergeText } from '../../../packet/identity.ts'
import type { Structure } from '../../../packet/kinds/kinds.ts'
import { idPattern } from '../../../packet/kinds/relationship-upsert.ts'
import { anchorPattern, type IdentifiedNode, type NamedField, named } from '../../../packet/kinds/statement.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import type { Item } from '../order/batches.ts'
import { eachRow, withRowFields } from '../order/over-rows.ts'
import { describeIdentity, irreversible } from './elements.ts'
import { namedBy, typeSet } from './facts.ts'
import type { Images } from './images.ts'
import type { Addition, OwnId } from './keep-lists.ts'
import { type Seen, seen, type TargetReader } from './target-reader.ts'

interface Between {
  start: Seen
  end: Seen
  /** The relationships that the pair sets. Without ids at most two are read, because two already rule out an undo. */
  found: Relationship[]
  /** Whether any relationship of the type is there. */
  isAny: boolean
}

/**
 * Saves the relationships that the items set, and the ends that they create.
 * @returns the relationships that they add between existing nodes.
 */
export async function saveBetween(items: readonly Item[], reader: TargetReader, images: Images): Promise<Addition[]> {
  const additions: Addition[] = []
  const between = items.filter(({ recognised }) => typeSet(recognised) !== null)
  for (const [query, alike] of Map.groupBy(between, queryOf)) {
    const [{ recognised }] = alike as [Item]
    const type = typeSet(recognised) as string
    const own = ownIdOf(recognised)
    const names = [...recognised.identities.map(({ parameter }) => parameter), ...(own === null ? [] : [own.name])]
    const rows = alike.map(({ parameters }) => Object.fromEntries(names.map((name) => [name, parameters[name]])))
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
  { start, end, found, isAny }: Between,
  reader: TargetReader,
  images: Images,
): Promise<Addition | null> {
  const { kind } = item.recognised
  if (start.node === null || end.node === null) {
    // The undo deletes a new end together with its relationships. Only an upsert creates ends.
    const absent = namedBy(item).filter((_, index) => [start, end][index]?.node === null)
    if (kind === 'relationshipUpsert') for (const { identity } of absent) await images.absentNode(identity)
    return null
  }
  // MERGE of a relationship without an id matches any relationship of the type, so it adds nothing.
  if (kind === 'relationshipCreate' && found.length > 0) return null
  const ends = await reader.identifyEnds({ start, type, end })
  if (found.length > 0) await images.relationships(ends, found)
  if (found.length > 0 || kind === 'postback') return null
  const about = describe(item, type)
  return { start: ends.start, type, node: start.node, about, parallel: isAny ? ownIdIn(item, about) : null }
}

/** `:Person p1 -KNOWS-> :Person p2` */
const describe = (item: Item, type: string): string =>
  namedBy(item)
    .map(({ identity }) => describeIdentity(identity))
    .join(` -${type}-> `)

/** Finds the ends that a pair names, and the relationships of its type between them. */
function queryOf({ recognised }: Item): string {
  const type = typeSet(recognised) as string
  const [start, end] = recognised.identities as [IdentifiedNode, IdentifiedNode]
  const [a, b] = [anchorPattern('a', start, start.parameter), anchorPattern('b', end, end.parameter)]
  const own = ownIdOf(recognised)
  // Match both ends first: a single pattern would visit every relationship of a hub for each row.
  const ends = template`OPTIONAL MATCH ${a} OPTIONAL MATCH ${b}`
  const set = withRowFields(template`${ends} OPTIONAL MATCH (a)-[r:${quote(type)}${idPattern(own)}]->(b)`)
  const found = `collect(r)${own === null ? '[..2]' : ''} AS found`
  // ArcadeDB takes no bare pattern here.
  const isAny = `CASE WHEN size(found) > 0 OR exists((a)-[:${quote(type)}]->(b)) THEN true ELSE false END AS isAny`
  const nodes = `${seen('a')} AS start, ${seen('b')} AS end`
  return `${eachRow} ${set} WITH at, a, b, ${found} RETURN at, ${nodes}, found, ${isAny}`
}

/** The id by which a statement finds a relationship; null if it finds it by the ends alone. */
function ownIdOf(it: Structure): NamedField | null {
  if (it.kind === 'relationshipUpsert') return named(it.fields).find(({ key }) => key === it.idField) ?? null
  if (it.kind !== 'postback' || it.of !== 'relationship' || it.id === null) return null
  return named([it.id, it.stamp])[0] as NamedField
}

function ownIdIn({ recognised, parameters }: Item, about: string): OwnId | null {
  const own = ownIdOf(recognised)
  if (own === null) return null
  const { key, value, name } = own
  const { wrap, list } = value
  if (list && (wrap === 'timeByFields' || wrap === 'datetimeByFields')) {
    throw irreversible(`the relationship ${about}`, `is found by a list of times as ${key}, each given by its fields`)
  }
  return { key, text: mergeText({ wrap, list, json: stringifyLossless(parameters[name]) }) }
}
