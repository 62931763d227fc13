import type { Properties } from '../check/finding.ts'
import { listIn, typeBetween } from '../kinds/kinds.ts'
import { type Expression, type IdentifiedNode, named } from '../kinds/statement.ts'
import { stringifyLossless } from '../lossless-json.ts'
import type { Recognised } from '../recognise.ts'
import type { Rendered } from '../values/values.ts'
import { cleanupKeys, idKey, nodeKeys, relationshipKeys } from './keys.ts'

/**
 * What a pair is about, as texts that are equal to those of `elementsOfLine`; for a pair with a list, one for each of its
 * elements. Null for statements that say nothing about a state.
 */
export function elementsOf(it: Recognised): ((parameters: Properties) => string[]) | null {
  const [first, second] = it.identities as [IdentifiedNode, IdentifiedNode?]
  const idOf = (node: IdentifiedNode, parameters: Properties) => rendered(node.id, parameters[node.parameter])
  switch (it.kind) {
    case 'nodeUpsert':
    case 'deleteProperties': {
      const keyOf = nodeKeys(first)
      return (parameters) => [keyOf(idOf(first, parameters))]
    }
    case 'cleanup': {
      const keyOf = cleanupKeys(first, it.type)
      return (parameters) => [keyOf(idOf(first, parameters))]
    }
    case 'relationshipUpsert': {
      const keyOf = keysBetween(it, first, second)
      const own = named(it.fields).find(({ key }) => key === it.idField)
      return (parameters) => {
        const key = keyOf(idOf(first, parameters), idOf(second as IdentifiedNode, parameters))
        return [own ? withOwn(key, own.key, rendered(own.value, parameters[own.name])) : key]
      }
    }
    case 'nodeDelete': {
      const keyOf = nodeKeys(first)
      return (parameters) => (listIn(it, parameters) ?? []).map((id) => keyOf(rendered(first.id, id)))
    }
    case 'relationshipDelete': {
      const { id } = it
      const keyOf = keysBetween(it, first, second)
      return (parameters) =>
        (listIn(it, parameters) ?? []).map((row) => {
          const [startId, endId, own] = Array.isArray(row) ? row : []
          const key = keyOf(rendered(first.id, startId), rendered((second as IdentifiedNode).id, endId))
          return id === null ? key : withOwn(key, id.key, rendered(id.value, own))
        })
    }
    default:
      return null
  }
}

const keysBetween = (it: Recognised, start: IdentifiedNode, end?: IdentifiedNode) =>
  relationshipKeys(start, typeBetween(it) as string, end as IdentifiedNode)

const withOwn = (key: string, field: string, own: Rendered): string => `${key}\t[${JSON.stringify(field)},${idKey(own)}`

/** A value of a parameter, as it stands in the packet. */
const rendered = ({ wrap, list }: Expression, value: unknown = null): Rendered => ({
  wrap,
  list,
  json: typeof value === 'string' ? JSON.stringify(value) : stringifyLossless(value),
})

/** The text of an element that no pair speaks of, although the origin has it: the key of its line, and this. */
export const leftOut = '\ts'
/** The text of a node that is found by another label and id than those that identify it: likewise. */
export const alsoFound = '\ta'
/** The text of all relationships that share a key: likewise. */
export const anyOwn = '\t*'

/** What a line of a state says is there, as texts. */
export function elementsOfLine(line: string): string[] {
  const divided = line.indexOf('\t')
  if (divided === -1) return [line]
  const [key, payload] = [line.slice(0, divided), line.slice(divided + 1)]
  if (payload.startsWith('=')) return [key]
  if (payload.startsWith('a')) return [key + alsoFound]
  if (payload === 's') return [key + leftOut]
  const [own] = ownId.exec(payload) ?? []
  return own === undefined ? [key] : [`${key}\t${own}`, key + anyOwn]
}

/** The property and value of a relationship's own id, at the start of a payload. */
const ownId = /^\["[^"\\]*(?:\\.[^"\\]*)*",(?:-?\d+|"[^"\\]*(?:\\.[^"\\]*)*"|\{"merge":"[^"\\]*(?:\\.[^"\\]*)*"\})/
