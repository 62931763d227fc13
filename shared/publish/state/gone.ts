import type { Identity } from '../../../packet/identity.ts'
import { nodeKeyOf } from '../../../packet/state/keys.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { afterValue } from './json-bytes-scan.ts'
import { differences, type Group } from './lines.ts'
import { relationshipLine } from './pair-kinds.ts'

export interface GoneRelationship {
  start: Identity
  type: string
  end: Identity
  own: { key: string; id: Rendered } | null
}

/** A node or relationship that the base's state has and the new one lacks: its line there. */
export interface Gone {
  key: string
  payload: string | null
}

/** What a comparison of two states finds. */
export interface StateComparison {
  gone: { nodes: number; relationships: number }
  /**
   * Lines of nodes by the keys of others: a node that is found by the key at the target has the identity of the line now,
   * or may have it. So a deletion by the key must leave it, and its relationships.
   */
  renamed: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Nodes that have another identity now. Beyond this limit the publish fails with `422 undeletable`: they, and other ids
 * of one node, are kept in memory.
 */
const mostRenamed = 200_000

export const isRelationship = ({ key }: Pick<Gone, 'key'>) => key.startsWith('["r"')
const isNode = (group: Group | null) =>
  group?.payloads.some((payload) => payload === null || payload.startsWith('=')) === true
const aliasesOf = (group: Group | null) =>
  (group?.payloads ?? []).flatMap((payload) => (payload?.startsWith('a') ? [payload.slice(1)] : []))
/** Of relationships that are there, but not in the packet. */
const skipped = 's'
const keyOf = (line: string) => line.split('\t', 1)[0] as string

/**
 * Compares the sorted lines of two states. `take` receives each node and relationship that only the base has. An id that
 * belongs to another node now is not gone.
 */
export async function compareStates(
  lines: AsyncIterable<Buffer> | Iterable<Buffer>,
  baseLines: AsyncIterable<Buffer> | Iterable<Buffer>,
  take: (gone: Gone) => void,
): Promise<StateComparison> {
  const gone = { nodes: 0, relationships: 0 }
  const renamed = new Map<string, Set<string>>()
  let names = 0
  function noteRenamed(key: string, line: string): void {
    const lines = renamed.get(key) ?? new Set()
    renamed.set(key, lines.add(line))
    if (++names > mostRenamed) throw errors.undeletable(`more than ${mostRenamed} nodes that have another identity now`)
  }

  for await (const [now, before] of differences(lines, baseLines)) {
    if (before === null) continue
    const { key } = before
    if (isRelationship(before)) {
      for (const payload of goneOf(before, now)) {
        gone.relationships++
        take({ key, payload })
      }
    } else if (key.startsWith('["n"')) {
      if (isNode(now)) for (const alias of aliasesOf(before)) noteRenamed(keyOf(alias), lineOf(now as Group))
      if (isNode(now) || !isNode(before)) continue
      gone.nodes++
      for (const alias of aliasesOf(now)) noteRenamed(key, alias)
      take({ key, payload: literalOf(before) })
    }
  }
  return { gone, renamed }
}

const literalOf = ({ payloads }: Group) => payloads.find((payload) => payload?.startsWith('=')) ?? null
const lineOf = (group: Group) => {
  const literal = literalOf(group)
  return literal === null ? group.key : `${group.key}\t${literal}`
}

/**
 * The relationships between two nodes that are gone. If another property identifies them now, or none does, the same
 * relationships may have other ids: then cleanups decide, and also if the packet leaves out one of them.
 */
function goneOf(before: Group, now: Group | null): (string | null)[] {
  if (now?.payloads.includes(skipped)) return []
  const fieldOf = (payload: string | null) => (payload === null ? null : elementsOf(payload)[0])
  const ownOf = (payload: string | null) => JSON.stringify(payload === null ? [] : elementsOf(payload).slice(0, 2))
  const fields = new Set(now?.payloads.map(fieldOf))
  const present = new Set(now?.payloads.map(ownOf))
  return before.payloads.filter((payload) => {
    if (payload === skipped) return false
    if (present.has(ownOf(payload))) return false
    return fields.size === 0 || (fields.size === 1 && fields.has(fieldOf(payload)))
  })
}

/**
 * The lines of a relationship by the identities that its ends have now, if one of them has another; null if none has. If
 * the new state lacks such a line, the relationship is gone.
 */
export function linesByNewEnds(gone: Gone, { renamed }: Pick<StateComparison, 'renamed'>): string[] | null {
  const { start, type, end, own } = relationshipOf(gone)
  const newOf = (node: Identity) => [...(renamed.get(nodeKeyOf(node)) ?? [])].map(nodeOf)
  const [starts, ends] = [newOf(start), newOf(end)]
  if (starts.length + ends.length === 0) return null
  return (starts.length > 0 ? starts : [start]).flatMap((from) =>
    (ends.length > 0 ? ends : [end]).map((to) => relationshipLine({ start: from, type, end: to }, own)),
  )
}

/** The node of a line. */
export function nodeOf(line: string): Identity {
  const [key = '', payload = null] = line.split('\t')
  return identityIn(elementsOf(key).slice(1), payload === null ? null : (JSON.parse(payload.slice(1)) as Rendered))
}

export const relationshipOf = ({ key, payload }: Gone): GoneRelationship => {
  const [, startLabel, startProperty, startId, type, ...end] = elementsOf(key) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const [field = 'null', own = 'null', ids] = payload === null ? [] : elementsOf(payload)
  const [start = null, far = null, literal = null] = ids === undefined ? [] : (JSON.parse(ids) as Rendered[])
  return {
    start: identityIn([startLabel, startProperty, startId], start),
    type: JSON.parse(type),
    end: identityIn(end, far),
    own: field === 'null' ? null : { key: JSON.parse(field), id: literal ?? { json: own, wrap: null, list: false } },
  }
}

const identityIn = ([label, idProperty, id]: string[], literal: Rendered | null): Identity => ({
  label: JSON.parse(label as string),
  idProperty: JSON.parse(idProperty as string),
  id: literal ?? { json: id as string, wrap: null, list: false },
})

/** The elements of a JSON array without spaces, as JSON. */
function elementsOf(json: string): string[] {
  const bytes = Buffer.from(json)
  const elements: string[] = []
  for (let at = 1; at < bytes.length - 1; ) {
    const end = afterValue(bytes, at)
    elements.push(bytes.toString('utf8', at, end))
    at = end + 1
  }
  return elements
}
