import { type Identity, mergeText } from '../../packet/identity.ts'
import type { Cleanup } from '../../packet/kinds/cleanup.ts'
import type { DeleteProperties } from '../../packet/kinds/delete-properties.ts'
import { hasFarEnd, type KeepClause, listName } from '../../packet/kinds/keep-clauses.ts'
import { kinds as statements } from '../../packet/kinds/kinds.ts'
import { type NodeUpsert, nodeFields } from '../../packet/kinds/node-upsert.ts'
import type { RelationshipUpsert } from '../../packet/kinds/relationship-upsert.ts'
import { type Anchor, type NamedField, named } from '../../packet/kinds/statement.ts'
import { canonicalText } from '../../packet/lossless-json.ts'
import type { Place } from '../../packet/parts/parse-part.ts'
import type { Recognised } from '../../packet/recognise.ts'
import type { Item } from '../replay/order/batches.ts'
import { hashOf } from '../replay/order/node-hashes.ts'
import { identityBy } from '../replay/undo/elements.ts'
import { createIds } from './ids.ts'
import { NotCarried } from './not-carried.ts'
import type { Problems } from './problems.ts'
import { kinds, type Spill } from './spill.ts'
import { type Elements, type Layout, requireName, rowOf, type Tables } from './tables.ts'
import { arrayDelimiter, cellOf, columnType, quoted, type ValueSettings } from './values.ts'

/** What the pairs of one statement have in common. */
interface Plan {
  /** `:Airport`, or `(:Airport)-[:FLIGHT]->(:Airport)` */
  title: string
  fields: readonly NamedField[]
  names: readonly string[]
  /** By the types of the values. */
  layouts: Map<string, Layout>
  /** The labels of a node, or the type of a relationship, as a cell. */
  label: string
}

export interface CollectSettings extends ValueSettings {
  spill: Spill
  tables: Tables
  problems: Problems
  /** Whether the packet may have cleanups, which must not find any relationship of it to delete. */
  hasCleanups: boolean
}

/** Characters of a row whose bytes are counted, because they may exceed what the importer reads at once. */
const longRow = 1_000_000

/** Ends of relationships that are remembered, so that a hub is written once. */
const endsKept = 65_536

/** Writes what pairs make of an empty database, as records: rows of tables, and what must not contradict them. */
export function createCollector({ spill, tables, problems, hasCleanups, ...values }: CollectSettings) {
  const ids = createIds()
  const plans = new WeakMap<Recognised, Plan>()
  const ends: (string | undefined)[] = Array.from({ length: endsKept })
  const seen = { multiline: false, longestRow: 0 }
  /** What is being written, for messages. */
  const about: { title: string; key: string; place: Place | null } = { title: '', key: '', place: null }

  /** @returns what `work` does, or null after it could not be carried. @throws any other error */
  function noted<T>(work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof NotCarried)) throw error
      const { title, key, place } = about
      problems.add(`${title}${key === '' ? '' : `.${key}`}: ${error.message}`, place)
      return null
    }
  }

  function planOf(it: Recognised, make: () => Plan): Plan {
    const known = plans.get(it)
    if (known) return known
    const plan = make()
    requireNames(plan)
    plans.set(it, plan)
    return plan
  }

  function requireNames({ title, names }: Plan): void {
    about.title = title
    for (const name of names) {
      about.key = name
      requireName(name)
    }
  }

  /** The row of a pair's values, and where it belongs. */
  function rowOfPair(elements: Elements, plan: Plan, parameters: Item['parameters']) {
    const { fields, layouts, names, title } = plan
    about.title = title
    let shape = ''
    const types = fields.map(({ key, name, value }) => {
      about.key = key
      const type = noted(() => columnType(parameters[name], value))
      shape += `${type},`
      return type
    })
    let layout = layouts.get(shape)
    if (layout === undefined) {
      about.key = ''
      layout = tables.layoutOf(elements, names, types)
      layouts.set(shape, layout)
    }
    const row = rowOf(layout, (at, type) => {
      const { key, name } = fields[at] as NamedField
      about.key = key
      return noted(() => cellOf(parameters[name], type, values)) ?? ''
    })
    about.key = ''
    if (!row.isWellFormed()) throw new NotCarried('a string that is not valid Unicode')
    return { layout, row }
  }

  function idOf(anchor: Anchor, id: unknown): string {
    about.title = `:${anchor.label}`
    about.key = anchor.idProperty
    return ids.cellOf(anchor, id)
  }

  function write(kind: 1 | 2 | 3, { table, values: { length } }: Layout, own: string, key: string, rest: string): void {
    if (key.length + rest.length > longRow)
      seen.longestRow = Math.max(seen.longestRow, Buffer.byteLength(key) + Buffer.byteLength(rest))
    seen.multiline ||= rest.includes('\n') || rest.includes('\r') || key.includes('\n') || key.includes('\r')
    spill.add(kind === kinds.relationship ? own + key : key, {
      kind,
      table: table.index,
      columns: length,
      own,
      key,
      rest,
    })
  }

  function node(it: Recognised & NodeUpsert, parameters: Item['parameters']): void {
    const plan = planOf(it, () => {
      const { shared, others } = nodeFields(it.node, it.fields)
      const fields = [...shared, ...others]
      const { label } = it.node
      const labels = [label, ...new Set(it.changes.added.filter((one) => one !== label))]
      const names = fields.map(({ key }) => key)
      return { title: `:${label}`, fields, names, layouts: new Map(), label: quoted(labels.join(arrayDelimiter)) }
    })
    const own = plan.fields.find(({ key }) => key === it.node.idProperty)
    if (own && own.name !== 'id' && canonicalText(parameters[own.name]) !== canonicalText(parameters.id))
      throw new NotCarried('a node whose id the same pair changes')
    const { layout, row } = rowOfPair('nodes', plan, parameters)
    const id = idOf(it.node, parameters.id)
    const exact = exactly(parameters.id)
    ends[hashOf(id) % endsKept] = exact + id
    write(kinds.node, layout, exact, id, `,${plan.label}${row}`)
  }

  const endPlans = new WeakMap<Anchor, Plan>()

  /** Writes a node that a relationship makes, with nothing but its identity. @returns its id as a cell */
  function end(anchor: Anchor, id: unknown): string {
    const cell = idOf(anchor, id)
    const exact = exactly(id)
    const at = hashOf(cell) % endsKept
    if (ends[at] === exact + cell) return cell
    ends[at] = exact + cell
    let plan = endPlans.get(anchor)
    if (plan === undefined) {
      const { label, idProperty: key } = anchor
      const fields = [{ key, name: 'id', value: anchor.id }]
      plan = { title: `:${label}`, fields, names: [key], layouts: new Map(), label: quoted(label) }
      requireNames(plan)
      endPlans.set(anchor, plan)
    }
    const { layout, row } = rowOfPair('nodes', plan, { id })
    write(kinds.end, layout, exact, cell, `,${plan.label}${row}`)
    return cell
  }

  function relationship(it: Recognised & RelationshipUpsert, parameters: Item['parameters']): void {
    const { start, type, end: far } = it.ends
    const plan = planOf(it, () => {
      const title = `(:${start.label})-[:${type}]->(:${far.label})`
      const fields = named(it.fields)
      return { title, fields, names: fields.map(({ key }) => key), layouts: new Map(), label: quoted(type) }
    })
    const { layout, row } = rowOfPair('relationships', plan, parameters)
    ids.requireSameIdField(it.ends, it.idField)
    const [from, to] = [end(start, parameters.a_id), end(far, parameters.b_id)]
    const idField = plan.fields.find(({ key }) => key === it.idField)
    const own = idField ? ownText(idField.key, idField.value, parameters[idField.name]) : ''
    write(kinds.relationship, layout, own, `${from},${to},${plan.label}`, row)
    if (!hasCleanups) return
    side(`${from},${plan.label},out`, to, own)
    side(`${to},${plan.label},in`, from, own)
  }

  function side(group: string, far: string, own: string): void {
    spill.add(group, { kind: kinds.side, table: 0, columns: 0, own, key: group, rest: far })
  }

  /** Lists what a cleanup keeps, for each direction in which it deletes. */
  function cleanup(it: Recognised & Cleanup, { place, parameters }: Item): void {
    if (!hasCleanups) throw new NotCarried('a cleanup, of which the manifest says nothing')
    const id = idOf(it.node, parameters.baseId)
    for (const direction of ['out', 'in'] as const) {
      if (it.type.direction !== 'both' && it.type.direction !== direction) continue
      const kept = it.clauses.flatMap((clause, at) => {
        const all = keptBy(clause, parameters[listName(at)])
        // A self-loop is kept by the clause of either direction.
        const isOther = hasFarEnd(clause) && clause.direction !== direction
        return isOther ? all.filter((one) => one.startsWith(keptOf(id, ''))) : all
      })
      const group = `${id},${quoted(it.type.type)},${direction}`
      const own = JSON.stringify({ ...place, title: `:${it.node.label}`, type: it.type.type })
      spill.add(group, { kind: kinds.cleanup, table: 0, columns: 0, own, key: group, rest: JSON.stringify(kept) })
    }
  }

  function keptBy(clause: KeepClause, list: unknown): string[] {
    if (!Array.isArray(list)) throw new NotCarried('a cleanup whose parameter is not a list')
    switch (clause.by) {
      case 'relationshipId':
        return list.map((id) => keptOf('', ownText(clause.field, clause.id, id)))
      case 'farEnd':
        return list.map((id) => keptOf(idOf(clause, id), ''))
      case 'farEndAndId':
        return list.map((pair) => keptOf(idOf(clause, pair[0]), ownText(clause.field, clause.relationshipId, pair[1])))
    }
  }

  /** The node's upsert has none of these properties: the pair deletes what an earlier packet published. */
  function removal(it: Recognised & DeleteProperties, { place, parameters }: Item): void {
    const key = idOf(it.node, parameters.id)
    const own = JSON.stringify({ ...place, title: `:${it.node.label}` })
    spill.add(key, { kind: kinds.removal, table: 0, columns: 0, own, key, rest: JSON.stringify(it.keys) })
  }

  function collect(item: Item): void {
    const { recognised: it, parameters } = item
    if (it.kind === 'nodeUpsert') node(it, parameters)
    else if (it.kind === 'relationshipUpsert') relationship(it, parameters)
    else if (it.kind === 'cleanup') cleanup(it, item)
    else if (it.kind === 'deleteProperties') removal(it, item)
    else {
      // The others find what is already there.
      about.title = `:${it.identities[0]?.label}`
      throw new NotCarried(`a ${statements[it.kind].title}, which is no part of a whole graph`)
    }
  }

  return {
    seen,
    add(item: Item): void {
      about.title = about.key = ''
      about.place = item.place
      noted(() => collect(item))
    },
  }
}

/** Tells ids apart that `MERGE` treats as equal: 5 and 5.0, 0.0 and -0.0. */
function exactly(id: unknown): string {
  if (Array.isArray(id)) return exactly(id[0])
  if (typeof id === 'bigint') return 'i'
  return typeof id !== 'number' ? '' : Object.is(id, -0) ? '-' : 'f'
}

/** A relationship id that `MERGE` finds, or a cleanup keeps, relationships by: the same text for equal ids. */
const ownText = (field: string, id: Anchor['id'], value: unknown): string => {
  const identity: Identity = identityBy({ label: '', idProperty: field, id, parameter: '' }, value)
  return `${field}\u0000${mergeText(identity.id)}`
}

/** What a list keeps: by far end, by own id, or by both. */
export const keptOf = (far: string, own: string): string => `${far}\u0001${own}`
