import { expect, test } from 'vitest'
import { constraintsFollow } from '../../../shared/models/constraints.ts'
import { removeStatement } from '../../../shared/models/removal.ts'
import { managerVersion, nodeType, property, propertyImpl } from '../../../shared/models/resources.ts'
import { byEnds, byGrn, byKey } from '../../../shared/models/selector.ts'
import {
  createPartStatement,
  findStatement,
  partsStatement,
  updateStatement,
} from '../../../shared/models/statements.ts'
import { made, time, withoutLock } from './statement-text.ts'

const version = byGrn(managerVersion, 'grn:gg:managerversion:v')
const one = byGrn(property, 'grn:gg:property:p')

test('a record is found by its grn or by its unique key', () => {
  expect(findStatement(one).query).toMatchInlineSnapshot(`
    "MATCH (n:GraphPacketsRecord {grn: $value})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    RETURN n.id, n.enver, n.createdAt, n.updatedAt, n.createdBy, n.lastModifiedBy, n.grn, n.key, n.dataType, n.definition, n.displayValue, n.editable, n.deletable"
  `)
  expect(findStatement(byKey(property, version.value, 'name'))).toMatchObject({
    query: expect.stringContaining('{uniqueKey: $value}'),
    parameters: { value: 'property|grn:gg:managerversion:v|name' },
  })
})

test('parts are an optional match, so a record without parts differs from a missing record', () => {
  expect(partsStatement(property, version).query).toMatchInlineSnapshot(`
    "MATCH (n:GraphPacketsRecord {grn: $value})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    OPTIONAL MATCH (n)<-[:GRAPH_PACKETS_PART_OF]-(part:GraphPacketsProperty)
    RETURN part.id, part.enver, part.createdAt, part.updatedAt, part.createdBy, part.lastModifiedBy, part.grn, part.key, part.dataType, part.definition, part.displayValue, part.editable, part.deletable
    ORDER BY part.key"
  `)
})

test('a part is created after its manager is locked', () => {
  const { query, parameters } = createPartStatement(nodeType, version, { key: 'Person', namespace: 'n' }, 'ann')
  expect(query).toMatchInlineSnapshot(`
    "MATCH (n:GraphPacketsRecord {grn: $value})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    MATCH (n)-[:GRAPH_PACKETS_PART_OF*0..]->(model:GraphPacketsManager)
    WITH model LIMIT 1
    SET model.lock = true
    WITH model
    MATCH (n:GraphPacketsRecord {grn: $value})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    CREATE (part:GraphPacketsRecord:GraphPacketsNodeType)-[:GRAPH_PACKETS_PART_OF]->(n)
    SET part = $properties
    RETURN part.id, part.enver, part.createdAt, part.updatedAt, part.createdBy, part.lastModifiedBy, part.grn, part.key, part.namespace, part.definition, part.displayValue"
  `)
  expect(parameters).toEqual({
    value: 'grn:gg:managerversion:v',
    properties: {
      ...made('nodetype'),
      key: 'Person',
      namespace: 'n',
      scope: 'nodetype|grn:gg:managerversion:v|',
      uniqueKey: 'nodetype|grn:gg:managerversion:v|Person',
    },
  })
})

test('a record is changed if its enver matches, and a new key updates its unique key', () => {
  const statement = updateStatement(one, { key: 'b' }, [3], 'ann')
  expect(withoutLock(statement)).toMatchInlineSnapshot(`
    "(lock)
    WITH n, CASE WHEN $envers IS NULL OR n.enver IN $envers THEN [n] ELSE [] END AS current
    FOREACH (changed IN current |
      SET changed.key = $changes.key, changed.enver = changed.enver + 1, changed.lastModifiedBy = $by,
        changed.updatedAt = CASE WHEN changed.updatedAt > $now THEN changed.updatedAt ELSE $now END, changed.uniqueKey = changed.scope + $changes.key)
    RETURN size(current) = 1, n.id, n.enver, n.createdAt, n.updatedAt, n.createdBy, n.lastModifiedBy, n.grn, n.key, n.dataType, n.definition, n.displayValue, n.editable, n.deletable"
  `)
  expect(statement.parameters).toEqual({ value: one.value, changes: { key: 'b' }, envers: [3n], by: 'ann', now: time })
  expect(updateStatement(one, { displayValue: 'b' }, null, 'ann').query).not.toContain('uniqueKey')
})

test('the statement that changes the flags of an implementation also updates its constraints', () => {
  const consequence = constraintsFollow('grn:gg:propertyimpl:i', 'ann')
  const changed = updateStatement(byGrn(propertyImpl, 'grn:gg:propertyimpl:i'), {}, null, 'ann', consequence)
  expect(changed.query).toContain(consequence.clauses)
  expect(consequence.clauses).toMatchInlineSnapshot(`
    "WITH n, current
    OPTIONAL MATCH (n)<-[:GRAPH_PACKETS_PART_OF]-(old:GraphPacketsConstraint)
    WITH n, current, collect(old) AS had
    FOREACH (old IN [old IN had WHERE any(kept IN $kept WHERE kept.uniqueKey = old.uniqueKey AND NOT n[kept.flag])] |
      DETACH DELETE old)
    FOREACH (kept IN [kept IN $kept WHERE n[kept.flag]] |
      MERGE (new:GraphPacketsRecord {uniqueKey: kept.uniqueKey})
      ON CREATE SET new:GraphPacketsConstraint, new += kept.properties
      MERGE (new)-[:GRAPH_PACKETS_PART_OF]->(n))
    "
  `)
  const kept = (flag: string, type: string) => ({
    flag,
    uniqueKey: `constraint|grn:gg:propertyimpl:i|${type}`,
    properties: { ...made('constraint'), type },
  })
  expect(changed.parameters.kept).toEqual([
    kept('unique', 'UNIQUE'),
    kept('required', 'EXISTS'),
    kept('indexed', 'INDEX'),
  ])
})

test('a record is deleted with all its parts', () => {
  expect(removeStatement(byEnds('grn:gg:nodetype:n', one.value, version.value), null)).toMatchInlineSnapshot(`
    {
      "parameters": {
        "envers": null,
        "value": "propertyimpl|grn:gg:nodetype:n|grn:gg:property:p",
        "within": "grn:gg:managerversion:v",
      },
      "query": "MATCH (n:GraphPacketsRecord {uniqueKey: $value})-[:GRAPH_PACKETS_PART_OF*]->(:GraphPacketsRecord {grn: $within})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    MATCH (n)-[:GRAPH_PACKETS_PART_OF*0..]->(model:GraphPacketsManager)
    WITH model LIMIT 1
    SET model.lock = true
    WITH model
    MATCH (n:GraphPacketsRecord {uniqueKey: $value})-[:GRAPH_PACKETS_PART_OF*]->(:GraphPacketsRecord {grn: $within})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    MATCH (n)<-[:GRAPH_PACKETS_PART_OF*0..]-(part)
    WITH n, $envers IS NULL OR n.enver IN $envers AS isCurrent, collect(DISTINCT part) AS parts
    FOREACH (part IN CASE WHEN isCurrent THEN parts ELSE [] END | DETACH DELETE part)
    RETURN isCurrent",
    }
  `)
})
