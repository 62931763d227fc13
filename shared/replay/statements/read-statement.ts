import type { End } from '../../publish/pairs/statements/relationship-create.ts'
import type { RelationshipEnds } from '../../publish/pairs/statements/relationship-upsert.ts'
import type { Anchor, Expression, Field } from '../../publish/pairs/statements/statement.ts'
import type { Direction } from '../../publish/request/relationship-types.ts'
import { readValue } from './expressions.ts'
import { readBoundLists, readClauses } from './read-cleanup.ts'
import { Mismatch, type Scanner } from './scanner.ts'
import type { Structure } from './structure.ts'

/**
 * Reads what a statement says. Reads more texts than the service writes, but none that changes the identity of what it
 * finds. @throws Mismatch
 */
export function readStatement(scanner: Scanner): Structure {
  if (scanner.takes('MERGE (n:')) return readNodeUpsert(scanner)
  if (scanner.takes('MERGE (a:')) return readRelationshipUpsert(scanner)
  if (scanner.takes('MATCH (a:')) return readBetweenMatched(scanner)
  const bound = scanner.takes('WITH ') ? readBoundLists(scanner) : new Map<string, Expression>()
  scanner.expect('MATCH (n:')
  return readOfMatched(scanner, bound)
}

function readNodeUpsert(scanner: Scanner): Structure {
  const node = readAnchor(scanner)
  scanner.expect(' SET n = ')
  const { fields, protectedKeys } = readMap(scanner, 'n')
  const added = scanner.takes(' SET n') ? readLabels(scanner) : []
  const removed = scanner.takes(' REMOVE n') ? readLabels(scanner) : []
  const id = fields.find(({ key }) => key === node.idProperty)?.value
  requires(id !== undefined && id.wrap === node.id.wrap && id.list === node.id.list)
  requires(!removed.includes(node.label))
  return { kind: 'nodeUpsert', node, fields, changes: { protectedKeys, added, removed } }
}

function readRelationshipUpsert(scanner: Scanner): Structure {
  const start = readAnchor(scanner)
  scanner.expect(' MERGE (b:')
  const end = readAnchor(scanner)
  scanner.expect(' MERGE (a)-[r:')
  const type = scanner.name()
  const id = readIdPattern(scanner)
  scanner.expect(']->(b) SET r = ')
  const map = readMap(scanner, 'r')
  return { kind: 'relationshipUpsert', ends: { start, type, end }, ...map, idField: id?.key ?? null }
}

/** A relationship create, or the postback of a relationship. */
function readBetweenMatched(scanner: Scanner): Structure {
  const start = readAnchor(scanner)
  if (scanner.takes(' MATCH (b:')) {
    const end = readAnchor(scanner)
    scanner.expect(' MERGE (a)-[:')
    const type = scanner.name()
    scanner.expect(']->(b)')
    return { kind: 'relationshipCreate', start, type, end }
  }
  scanner.expect('-[r:')
  const type = scanner.name()
  const id = readIdPattern(scanner)
  scanner.expect(']->(b:')
  const ends: RelationshipEnds = { start, type, end: readAnchor(scanner) }
  scanner.expect(' SET r.')
  const stamp = readField(scanner, ' = ')
  requires(stamp.key !== id?.key)
  return { kind: 'postback', of: 'relationship', ends, id, stamp }
}

/** A node delete, a property delete, the postback of a node, or a cleanup. */
function readOfMatched(scanner: Scanner, bound: ReadonlyMap<string, Expression>): Structure {
  const label = scanner.name()
  if (scanner.takes(') WHERE n.')) {
    const node: End = { label, idProperty: scanner.name() }
    scanner.expect(' IN ')
    const ids = readValue(scanner)
    scanner.expect(' DETACH DELETE n')
    requires(ids.wrap === null || ids.list)
    return { kind: 'nodeDelete', node, ids }
  }
  const node = readIdentity(scanner, label)
  if (scanner.takes(' REMOVE n.')) {
    const keys = readKeys(scanner)
    requires(!keys.includes(node.idProperty))
    return { kind: 'deleteProperties', node, keys }
  }
  if (scanner.takes(' SET n.')) {
    const stamp = readField(scanner, ' = ')
    requires(stamp.key !== node.idProperty)
    return { kind: 'postback', of: 'node', node, stamp }
  }
  const isIn = scanner.takes('<')
  scanner.expect('-[r:')
  const name = scanner.name()
  scanner.expect(']-')
  const direction: Direction = isIn ? 'in' : scanner.takes('>') ? 'out' : 'both'
  if (!scanner.takes('(m)')) scanner.expect('()')
  const clauses = readClauses(scanner, direction, bound)
  scanner.expect(' DELETE r')
  return { kind: 'cleanup', node, type: { type: name, direction }, clauses }
}

/** @throws Mismatch if what is read would change an identity, which the service refuses to publish. Contract 4.13 to 4.16. */
function requires(holds: boolean): void {
  if (!holds) throw new Mismatch()
}

/** The rest of a node pattern from its label on. */
const readAnchor = (scanner: Scanner): Anchor => readIdentity(scanner, scanner.name())

function readIdentity(scanner: Scanner, label: string): Anchor {
  scanner.expect(' {')
  const { key: idProperty, value: id } = readField(scanner, ': ')
  scanner.expect('})')
  return { label, idProperty, id }
}

function readIdPattern(scanner: Scanner): Field | null {
  if (!scanner.takes(' {')) return null
  const id = readField(scanner, ': ')
  scanner.expect('}')
  return id
}

function readField(scanner: Scanner, separator: string): Field {
  const key = scanner.name()
  scanner.expect(separator)
  return { key, value: readValue(scanner) }
}

/** Published values, and the keys that keep the target's. */
function readMap(scanner: Scanner, variable: 'n' | 'r') {
  const fields: Field[] = []
  const protectedKeys: string[] = []
  scanner.expect('{')
  if (scanner.takes('}')) return { fields, protectedKeys }
  do {
    const key = scanner.name()
    scanner.expect(': ')
    if (!scanner.takes(`${variable}.`)) fields.push({ key, value: readValue(scanner) })
    else protectedKeys.push(scanner.name())
  } while (scanner.takes(', '))
  scanner.expect('}')
  const keys = [...fields.map(({ key }) => key), ...protectedKeys]
  if (new Set(keys).size < keys.length) throw new Mismatch()
  return { fields, protectedKeys }
}

function readKeys(scanner: Scanner): string[] {
  const keys = [scanner.name()]
  while (scanner.takes(', n.')) keys.push(scanner.name())
  return keys
}

function readLabels(scanner: Scanner): string[] {
  const labels: string[] = []
  while (scanner.takes(':')) labels.push(scanner.name())
  return labels
}
