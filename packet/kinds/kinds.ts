import type { Check } from '../check/check.ts'
import { type Properties, subjectText } from '../check/finding.ts'
import { shownId } from '../check/shown-value.ts'
import type { Template } from '../cypher/parameters.ts'
import { type Cleanup, cleanupKind } from './cleanup.ts'
import { type DeleteProperties, deletePropertiesKind } from './delete-properties.ts'
import { hasFarEnd, listName } from './keep-clauses.ts'
import type { KindDefinition } from './kind.ts'
import { type NodeDelete, nodeDeleteKind } from './node-delete.ts'
import { clearedNode, type NodeUpsert, nodeUpsertKind } from './node-upsert.ts'
import { type Postback, postbackKind } from './postback.ts'
import { type RelationshipCreate, relationshipCreateKind } from './relationship-create.ts'
import { type RelationshipDelete, relationshipDeleteKind } from './relationship-delete.ts'
import { clearedRelationship, type RelationshipUpsert, relationshipUpsertKind } from './relationship-upsert.ts'
import { type IdentifiedNode, idIn, type Statement, type StatementKind } from './statement.ts'

/** What a statement says. */
export type Structure =
  | NodeUpsert
  | RelationshipUpsert
  | RelationshipCreate
  | Cleanup
  | DeleteProperties
  | NodeDelete
  | RelationshipDelete
  | Postback

/** Every kind of statement, the most frequent ones first. */
export const kinds: { readonly [K in StatementKind]: KindDefinition<Structure & { kind: K }> } = {
  nodeUpsert: nodeUpsertKind,
  relationshipUpsert: relationshipUpsertKind,
  cleanup: cleanupKind,
  relationshipCreate: relationshipCreateKind,
  deleteProperties: deletePropertiesKind,
  nodeDelete: nodeDeleteKind,
  relationshipDelete: relationshipDeleteKind,
  postback: postbackKind,
}

const kindOf = ({ kind }: Structure) => kinds[kind] as KindDefinition<Structure>

/** The statement that the service writes for a structure. */
export const statementOf = (it: Structure): Statement<unknown> => kindOf(it).write(it)

/** The text that earlier versions of the service wrote for a structure; null if they wrote the same. */
export const formerTextOf = (it: Structure): Template | null => kindOf(it).formerText?.(it) ?? null

/** The nodes that a statement finds by identity; for a relationship, the start comes first. */
export const identitiesOf = (it: Structure): IdentifiedNode[] => kindOf(it).identities(it)

/** The list of all that a pair deletes; null if it is about one element. */
export function listIn({ kind }: Structure, parameters: Properties): unknown[] | null {
  const { list } = kinds[kind]
  const value = list === undefined ? null : parameters[list]
  return Array.isArray(value) ? value : null
}

/** Takes away the values that a statement will set, so that others may have them; null if it sets none. */
export const clearedBy = (it: Structure): Template | null =>
  it.kind === 'nodeUpsert' ? clearedNode(it) : it.kind === 'relationshipUpsert' ? clearedRelationship(it) : null

/** How to find out whether a pair would change anything. */
export const checkOf = (it: Structure): Check => kindOf(it).check(it)

/** The type of the relationship that a statement names by its ends; null for other statements. */
export const typeBetween = (it: Structure): string | null => ('ends' in it ? it.ends.type : null)

/** What a pair is about: `:Person(id=p1)`, or `(:Person(id=p1) -KNOWS-> :Person(id=p2))`. */
export const subjectOf = (it: Structure, parameters: Properties): string =>
  subjectText(identitiesOf(it), parameters, typeBetween(it))

/** `relationship upsert, :Person p1 -KNOWS-> :Person p2` */
export function describePair(it: Structure, parameters: Properties): string {
  const nodes = identitiesOf(it).map((node) => `:${node.label} ${shownId(idIn(node, parameters))}`)
  return `${kinds[it.kind].title}, ${nodes.join(` -${typeBetween(it)}-> `)}`
}

/** The far ends that a cleanup keeps; `parameter` holds the list of their ids or, if `isPaired`, of pairs of ids. */
export const keptEndsOf = (it: Structure): (IdentifiedNode & { isPaired: boolean })[] =>
  it.kind !== 'cleanup'
    ? []
    : it.clauses.flatMap((clause, index) =>
        hasFarEnd(clause) ? [{ ...clause, parameter: listName(index), isPaired: clause.by === 'farEndAndId' }] : [],
      )
