import { cleanup, type KeepClause } from '../../publish/pairs/statements/cleanup.ts'
import { deleteProperties } from '../../publish/pairs/statements/delete-properties.ts'
import { nodeDelete } from '../../publish/pairs/statements/node-delete.ts'
import { type NodeChanges, nodeUpsert } from '../../publish/pairs/statements/node-upsert.ts'
import { postbackNode, postbackRelationship } from '../../publish/pairs/statements/postback.ts'
import { type End, relationshipCreate } from '../../publish/pairs/statements/relationship-create.ts'
import { type RelationshipEnds, relationshipUpsert } from '../../publish/pairs/statements/relationship-upsert.ts'
import type { Anchor, Expression, Field, Statement } from '../../publish/pairs/statements/statement.ts'
import type { RelationshipType } from '../../publish/request/relationship-types.ts'

/** What a statement says: the arguments from which the service writes it. */
export type Structure =
  | { kind: 'nodeUpsert'; node: Anchor; fields: readonly Field[]; changes: NodeChanges }
  | {
      kind: 'relationshipUpsert'
      ends: RelationshipEnds
      fields: readonly Field[]
      protectedKeys: readonly string[]
      idField: string | null
    }
  | { kind: 'relationshipCreate'; start: Anchor; type: string; end: Anchor }
  | { kind: 'cleanup'; node: Anchor; type: RelationshipType; clauses: readonly KeepClause[] }
  | { kind: 'deleteProperties'; node: Anchor; keys: readonly string[] }
  | { kind: 'nodeDelete'; node: End; ids: Expression }
  | { kind: 'postback'; of: 'node'; node: Anchor; stamp: Field }
  | { kind: 'postback'; of: 'relationship'; ends: RelationshipEnds; id: Field | null; stamp: Field }

export type Kind = Structure['kind']

/** The statement that the service writes for a structure. */
export function statementOf(it: Structure): Statement<unknown> {
  switch (it.kind) {
    case 'nodeUpsert':
      return nodeUpsert(it.node, it.fields, it.changes)
    case 'relationshipUpsert':
      return relationshipUpsert(it.ends, it.fields, it.protectedKeys, it.idField)
    case 'relationshipCreate':
      return relationshipCreate(it.start, it.type, it.end)
    case 'cleanup':
      return cleanup(it.node, it.type, it.clauses)
    case 'deleteProperties':
      return deleteProperties(it.node, it.keys)
    case 'nodeDelete':
      return nodeDelete(it.node, it.ids)
    case 'postback':
      return it.of === 'node' ? postbackNode(it.node, it.stamp) : postbackRelationship(it.ends, it.id, it.stamp)
  }
}
