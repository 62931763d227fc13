import { nodeText } from '../check/finding.ts'
import { shownId } from '../check/shown-value.ts'
import { quote } from '../cypher/identifiers.ts'
import { param, type Template, template } from '../cypher/parameters.ts'
import { aName, anElementId, anElementNode, requires } from '../read-back/read-patterns.ts'
import { elementExpression } from '../values/values.ts'
import type { KindDefinition } from './kind.ts'
import { propertyPattern } from './relationship-upsert.ts'
import {
  type Anchor,
  type Field,
  type IdentifiedNode,
  nodePattern,
  type RelationshipEnds,
  relationshipTopic,
  type Statement,
} from './statement.ts'

export interface RelationshipDelete {
  kind: 'relationshipDelete'
  ends: RelationshipEnds
  /** The own id of each relationship; null if the ends alone find it. */
  id: Field | null
}

const list = 'ends'
const identityAt = (node: Anchor, at: number): IdentifiedNode => ({ ...node, parameter: list, at })

export const relationshipDeleteKind: KindDefinition<RelationshipDelete> = {
  title: 'relationship delete',
  phase: 'relationshipDeletes',
  list,
  write: ({ ends, id }) => relationshipDelete(ends, id),
  identities: ({ ends: { start, end } }) => [identityAt(start, 0), identityAt(end, 1)],

  read(scanner) {
    requires(scanner.takesTemplate(rows))
    const [start, end, type, id] =
      scanner.read` MATCH ${anElementNode('a', 0)} MATCH ${anElementNode('b', 1)} OPTIONAL MATCH (a)-[r:${aName}${anElementId(2)}]->(b) DELETE r`
    return { kind: 'relationshipDelete', ends: { start, type, end }, id }
  },

  check({ ends, id }) {
    return {
      query: template`${relationshipsToDelete(ends, id)} WITH at, x, r WHERE r IS NOT NULL RETURN DISTINCT at, x AS id`,
      findings({ id: row }) {
        const [startId, endId, own] = row as unknown[]
        const between = `${nodeText(ends.start, startId)} -${ends.type}-> ${nodeText(ends.end, endId)}`
        const which = id === null ? '' : ` with ${id.key}=${shownId(own)}`
        return [{ kind: 'undeletedRelationship', text: `(${between})${which} is still there` }]
      },
    }
  },
}

const rows = template`UNWIND ${param(list)} AS x`

/**
 * Deletes relationships of one type, each named by its ends, and by its own id if the type has one. Each row of the list
 * `ends` is `[start id, end id]` or `[start id, end id, own id]`. Contract 5.
 */
export function relationshipDelete(ends: RelationshipEnds, id: Field | null): Statement<'ends'> {
  return {
    topic: relationshipTopic('relationshipDelete', ends),
    text: template`${relationshipsToDelete(ends, id)} DELETE r`,
    bindings: [{ name: list, source: 'ends' }],
  }
}

/**
 * Finds the relationships that a relationship delete deletes, as `r`, or null. The last `MATCH` is optional because the
 * database would otherwise join it with the others, and might visit every relationship of a hub for each row.
 */
export function relationshipsToDelete({ start, type, end }: RelationshipEnds, id: Field | null): Template {
  const [a, b] = [nodePattern('a', start, elementAt(start.id, 0)), nodePattern('b', end, elementAt(end.id, 1))]
  const own = id === null ? [] : propertyPattern(id.key, elementAt(id.value, 2))
  return template`${rows} MATCH ${a} MATCH ${b} OPTIONAL MATCH (a)-[r:${quote(type)}${own}]->(b)`
}

const elementAt = (value: Field['value'], at: number): Template => elementExpression(value, `x[${at}]`)
