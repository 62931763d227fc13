import { expect, test } from 'vitest'
import { constraintsStatement } from '../../../shared/models/constraints.ts'
import { implementedStatement, implementStatement } from '../../../shared/models/implementations.ts'
import { manager, managerVersion, nodeType } from '../../../shared/models/resources.ts'
import { byGrn } from '../../../shared/models/selector.ts'
import { createManagerStatement, createVersionStatement } from '../../../shared/models/versions.ts'
import { made, withoutLock } from './statement-text.ts'

const version = byGrn(managerVersion, 'grn:gg:managerversion:v')

test('a manager is created with its first version', () => {
  const { query, parameters } = createManagerStatement('default', 'ann')
  expect(query).toMatchInlineSnapshot(`
    "CREATE (n:GraphPacketsRecord:GraphPacketsManager)<-[:GRAPH_PACKETS_PART_OF]-(v:GraphPacketsRecord:GraphPacketsManagerVersion)
    SET n = $properties, v = $version
    RETURN n.id, n.enver, n.createdAt, n.updatedAt, n.createdBy, n.lastModifiedBy, n.grn, n.name"
  `)
  expect(parameters).toEqual({
    properties: { ...made('manager'), name: 'default', uniqueKey: 'manager||default', versions: 1n, lock: true },
    version: {
      ...made('managerversion'),
      name: 'default',
      uniqueKey: 'managerversion||default',
      number: 1n,
      manager: (parameters.properties as { grn: string }).grn,
    },
  })
})

test('a further version takes the next number', () => {
  expect(withoutLock(createVersionStatement(byGrn(manager, 'grn:gg:manager:m'), null, 'ann'))).toMatchInlineSnapshot(`
    "(lock)
    SET n.versions = CASE WHEN n.versions + 1 < $least THEN $least ELSE n.versions + 1 END
    WITH n, coalesce($name, n.name + '-' + toString(n.versions)) AS name
    CREATE (v:GraphPacketsRecord:GraphPacketsManagerVersion)-[:GRAPH_PACKETS_PART_OF]->(n)
    SET v = $properties
    SET v.name = name, v.uniqueKey = $scope + name, v.number = n.versions, v.manager = n.grn
    RETURN v.id, v.enver, v.createdAt, v.updatedAt, v.createdBy, v.lastModifiedBy, v.grn, v.name, v.manager, v.number"
  `)
})

test('a property is implemented on a node type of its version', () => {
  const type = byGrn(nodeType, 'grn:gg:nodetype:n')
  expect(withoutLock(implementStatement(type, 'grn:gg:property:p', {}, 'ann'))).toMatchInlineSnapshot(`
    "(lock)
    MATCH (n)-[:GRAPH_PACKETS_PART_OF]->(:GraphPacketsManagerVersion)<-[:GRAPH_PACKETS_PART_OF]-(p:GraphPacketsRecord {grn: $propertyGrn})
    CREATE (n)<-[:GRAPH_PACKETS_PART_OF]-(i:GraphPacketsRecord:GraphPacketsPropertyImpl)-[:GRAPH_PACKETS_PART_OF]->(p)
    SET i = $properties
    RETURN i.id, i.enver, i.createdAt, i.updatedAt, i.createdBy, i.lastModifiedBy, i.grn, i.displayValue, i.unique, i.indexed, i.required, i.editable, i.deletable, coalesce(i.sensitive, false)"
  `)
  expect(implementedStatement(type).query).toMatchInlineSnapshot(`
    "MATCH (n:GraphPacketsRecord {grn: $value})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    OPTIONAL MATCH (n)<-[:GRAPH_PACKETS_PART_OF]-(i:GraphPacketsPropertyImpl)-[:GRAPH_PACKETS_PART_OF]->(p:GraphPacketsProperty)
    RETURN p.id, p.enver, p.createdAt, p.updatedAt, p.createdBy, p.lastModifiedBy, p.grn, p.key, p.dataType, p.definition, p.displayValue, p.editable, p.deletable, i.id, i.enver, i.createdAt, i.updatedAt, i.createdBy, i.lastModifiedBy, i.grn, i.displayValue, i.unique, i.indexed, i.required, i.editable, i.deletable, coalesce(i.sensitive, false)
    ORDER BY p.key"
  `)
})

test('constraints show the current keys', () => {
  expect(constraintsStatement(version).query).toMatchInlineSnapshot(`
    "MATCH (n:GraphPacketsRecord {grn: $value})
    WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
    OPTIONAL MATCH (n)<-[:GRAPH_PACKETS_PART_OF]-(t:GraphPacketsNodeType), (t)<-[:GRAPH_PACKETS_PART_OF]-(i:GraphPacketsPropertyImpl)-[:GRAPH_PACKETS_PART_OF]->(p:GraphPacketsProperty), (i)<-[:GRAPH_PACKETS_PART_OF]-(c:GraphPacketsConstraint)
    RETURN c.id, c.enver, c.createdAt, c.updatedAt, c.createdBy, c.lastModifiedBy, c.grn, c.type, t.key, p.key, t.key + '_' + p.key + '_' + toLower(c.type)
    ORDER BY t.key, p.key, c.type"
  `)
})
