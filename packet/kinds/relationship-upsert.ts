import { optional, read, withValues } from '../check/check.ts'
import { expectationOf } from '../check/expectation.ts'
import { propertyFindings } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { join, param, type Template, template } from '../cypher/parameters.ts'
import { aMap, aName, aNode, anId } from '../read-back/read-patterns.ts'
import { expression } from '../values/values.ts'
import type { KindDefinition } from './kind.ts'
import {
  anchorPattern,
  type Field,
  identifiedEnds,
  type NamedField,
  named,
  type PropertySource,
  propertyBindings,
  propertyMap,
  type RelationshipEnds,
  relationshipTopic,
  type Statement,
} from './statement.ts'

export interface RelationshipUpsert {
  kind: 'relationshipUpsert'
  ends: RelationshipEnds
  fields: readonly Field[]
  protectedKeys: readonly string[]
  /** The key of the field that distinguishes parallel relationships; null if no field does. */
  idField: string | null
}

export const relationshipUpsertKind: KindDefinition<RelationshipUpsert> = {
  title: 'relationship upsert',
  phase: 'elements',
  write: ({ ends, fields, protectedKeys, idField }) => relationshipUpsert(ends, fields, protectedKeys, idField),
  identities: ({ ends }) => identifiedEnds(ends, 'a_id', 'b_id'),

  read(scanner) {
    const [start, end, type, id, map] =
      scanner.read`MERGE ${aNode('a')} MERGE ${aNode('b')} MERGE (a)-[r:${aName}${anId}]->(b) SET r = ${aMap('r')}`
    return { kind: 'relationshipUpsert', ends: { start, type, end }, ...map, idField: id?.key ?? null }
  },

  check(it) {
    const fields = named(it.fields)
    const id = fields.find(({ key }) => key === it.idField) ?? null
    const expectation = expectationOf(fields)
    return {
      query: template`${relationshipBetween(it.ends, id)} ${withValues('r')} RETURN at, actual, ${expectation.columns}`,
      values: expectation.values,
      findings(row, subjectOf, parameters) {
        const [{ actual }, subject] = [row, subjectOf()]
        if (actual === null) return [{ kind: 'missingRelationship', text: `${subject} is missing` }]
        const { expected, equal } = expectation.of(row, parameters)
        return propertyFindings(subject, actual, expected, equal, it.protectedKeys)
      },
    }
  },
}

/**
 * Merges both ends by identity, merges the relationship between them (by its own id too, if `idField` names one of the
 * fields), and replaces its properties. Seed, Relationship upsert; contract 5.
 */
export function relationshipUpsert(
  ends: RelationshipEnds,
  fields: readonly Field[],
  protectedKeys: readonly string[],
  idField: string | null,
): Statement<'startId' | 'endId' | PropertySource> {
  const { start, type, end } = ends
  const all = named(fields)
  const id = all.find(({ key }) => key === idField) ?? null
  const merges = template`MERGE ${anchorPattern('a', start, 'a_id')} MERGE ${anchorPattern('b', end, 'b_id')}`
  const map = propertyMap('r', all, protectedKeys)
  return {
    topic: relationshipTopic('relationshipUpsert', ends),
    text: template`${merges} MERGE (a)-[r:${quote(type)}${idPattern(id)}]->(b) SET r = ${map}`,
    bindings: [{ name: 'a_id', source: 'startId' }, { name: 'b_id', source: 'endId' }, ...propertyBindings(all)],
  }
}

/** Removes from the relationship, if it is there, all properties that the upsert sets or removes, but not its id. */
export function clearedRelationship({
  ends: { start, type, end },
  fields,
  idField,
  protectedKeys,
}: RelationshipUpsert) {
  const id = named(fields).find(({ key }) => key === idField) ?? null
  const both = template`MATCH ${anchorPattern('a', start, 'a_id')} MATCH ${anchorPattern('b', end, 'b_id')}`
  const kept = [...(idField === null ? [] : [idField]), ...protectedKeys]
  return template`${both} MATCH (a)-[r:${quote(type)}${idPattern(id)}]->(b) SET r = ${propertyMap('r', [], kept)}`
}

/** `` {`grn`: {grn}}`` */
export const idPattern = (id: NamedField | null): Template =>
  id === null ? [] : propertyPattern(id.key, expression(id.value, param(id.name)))

/** The same with any expression in place of the parameter. */
export const propertyPattern = (key: string, value: Template): Template => template` {${quote(key)}: ${value}}`

/**
 * Binds `r` to each relationship between two nodes, or to null. Both ends come first, each in its own clause: for a
 * single pattern, the database would visit every relationship of a hub for each row.
 */
export function relationshipBetween({ start, type, end }: RelationshipEnds, id: NamedField | null): Template {
  const ends = join([optional('a', start, 'a_id'), optional('b', end, 'b_id')], ' ')
  return template`${ends} OPTIONAL MATCH (a)-[r:${quote(type)}${idPattern(id)}]->(b) ${read('r')}`
}
