import { shortened } from '../../packet/check/shown-value.ts'
import type { Place } from '../../packet/parts/parse-part.ts'
import { keptOf } from './collect.ts'
import type { Problems } from './problems.ts'
import { type Found, kinds, recordsIn } from './spill.ts'
import { cellsIn, contentOf, type Table } from './tables.ts'
import { arrayDelimiter } from './values.ts'

interface Noted extends Place {
  title: string
  type?: string
}

/**
 * Decides what a group of records leaves: each node and relationship once. A node that a relationship makes gives way to
 * its upsert. Finds what no graph can be: pairs that disagree, and cleanups that delete what the packet makes.
 * @returns the records to write
 */
export function resolve(bytes: Buffer, tables: readonly Table[], problems: Problems): Found[] {
  const nodes = new Map<string, Found>()
  const relationships = new Map<string, Found>()
  const cleanups = new Map<string, { kept: Set<string>; noted: Noted }[]>()
  const sides: Found[] = []
  const removals: Found[] = []
  const textOf = (from: number, to: number) => bytes.toString('utf8', from, to)
  const rowOf = ({ key, end }: Found) => textOf(key, end)
  const tableOf = ({ table }: Found) => tables[table] as Table
  const notedIn = ({ own, key }: Found): Noted => JSON.parse(textOf(own, key))

  /** Whether two records have the same row, perhaps in other tables. */
  const areEqual = (one: Found, other: Found) =>
    (one.table === other.table && bytes.compare(bytes, one.key, one.end, other.key, other.end) === 0) ||
    contentOf(rowOf(one), tableOf(one)) === contentOf(rowOf(other), tableOf(other))

  function takeNode(found: Found): void {
    const id = bytes.toString('latin1', found.key, found.rest)
    const known = nodes.get(id)
    const isSame = known === undefined || textOf(known.own, known.key) === textOf(found.own, found.key)
    if (!isSame || (known?.kind === found.kind && !areEqual(known, found)))
      problems.add(disagreeing(found, rowOf(found)), null)
    if (known === undefined || found.kind === kinds.node) nodes.set(id, found)
  }

  function takeRelationship(found: Found): void {
    const id = bytes.toString('latin1', found.own, found.rest)
    const known = relationships.get(id)
    if (known === undefined) relationships.set(id, found)
    else if (!areEqual(known, found)) problems.add(disagreeing(found, rowOf(found)), null)
  }

  function takeCleanup(found: Found): void {
    const group = bytes.toString('latin1', found.key, found.rest)
    const kept = new Set<string>(JSON.parse(textOf(found.rest, found.end)))
    const known = cleanups.get(group)
    const cleanup = { kept, noted: notedIn(found) }
    if (known) known.push(cleanup)
    else cleanups.set(group, [cleanup])
  }

  /** The target would lose the relationship or keep it, by the order of the pairs. */
  function checkSide({ own, key, rest, end }: Found): void {
    for (const { kept, noted } of cleanups.get(bytes.toString('latin1', key, rest)) ?? []) {
      const [far, id] = [textOf(rest, end), textOf(own, key)]
      if (kept.has(keptOf(far, '')) || (id !== '' && (kept.has(keptOf('', id)) || kept.has(keptOf(far, id))))) continue
      problems.add(`${noted.title}: a cleanup that deletes relationships [:${noted.type}] of the same packet`, noted)
    }
  }

  function checkRemoval(found: Found): void {
    const node = nodes.get(bytes.toString('latin1', found.key, found.rest))
    if (node === undefined) return
    const cells = cellsIn(rowOf(node)).slice(2)
    const { columns } = tableOf(node)
    for (const key of JSON.parse(textOf(found.rest, found.end)) as string[]) {
      const { title, ...place } = notedIn(found)
      if (cells[columns.get(key)?.at ?? -1])
        problems.add(`${title}.${key}: a property that one pair sets and another one deletes`, place)
    }
  }

  for (const found of recordsIn(bytes)) {
    if (found.kind === kinds.relationship) takeRelationship(found)
    else if (found.kind === kinds.node || found.kind === kinds.end) takeNode(found)
    else if (found.kind === kinds.cleanup) takeCleanup(found)
    else if (found.kind === kinds.side) sides.push(found)
    else removals.push(found)
  }
  if (cleanups.size > 0) for (const side of sides) checkSide(side)
  for (const removal of removals) checkRemoval(removal)
  return [...nodes.values(), ...relationships.values()]
}

function disagreeing(found: Found, row: string): string {
  const [first = '', second = '', type = ''] = cellsIn(row)
  const isNode = found.kind !== kinds.relationship
  const which = isNode ? `:${plain(second)} ${idIn(first)}` : `${idIn(first)} -${plain(type)}-> ${idIn(second)}`
  return `${which}: pairs that disagree; packets replay --in-order takes them in their order`
}

const plain = (cell: string) => shortened(cell.slice(1, -1).replaceAll('""', '"').replaceAll(arrayDelimiter, ':'))
/** The id of a node as the packet has it: its cell begins with the number of the identity. */
const idIn = (cell: string) => plain(cell).replace(/^\d+['=#]/, '')
