import { describe, expect, test } from 'vitest'
import { constraintSyntax, creation, ensures, listing } from '../../../client/replay/preflight/constraints.ts'

const needed = { label: 'Odd `L', property: 'i`d' }
const row = { type: 'UNIQUENESS', entityType: 'NODE', labelsOrTypes: ['Odd `L'], properties: ['i`d'] }

describe('a listed constraint', () => {
  test.each([
    ['of uniqueness', row],
    ['of uniqueness, as later servers call it', { ...row, type: 'NODE_PROPERTY_UNIQUENESS' }],
    ['that is a node key', { ...row, type: 'NODE_KEY' }],
    ['of uniqueness, described', { description: 'CONSTRAINT ON ( odd `l:Odd `L ) ASSERT odd `l.i`d IS UNIQUE' }],
    [
      'of uniqueness, described by 4.0',
      { description: 'CONSTRAINT ON ( odd `l:Odd `L ) ASSERT (odd `l.i`d) IS UNIQUE' },
    ],
    [
      'that is a node key, described',
      { description: 'CONSTRAINT ON ( odd `l:Odd `L ) ASSERT (odd `l.i`d) IS NODE KEY' },
    ],
  ])('a listed constraint %s is enough', (_what, listed) => {
    expect(ensures(listed, needed)).toBe(true)
  })

  test.each([
    ['on several properties', { ...row, properties: ['i`d', 'other'] }],
    ['on several properties, a node key', { ...row, type: 'NODE_KEY', properties: ['other', 'i`d'] }],
    ['on another property', { ...row, properties: ['id'] }],
    ['on another label', { ...row, labelsOrTypes: ['Odd'] }],
    ['on relationships', { ...row, type: 'RELATIONSHIP_PROPERTY_UNIQUENESS', entityType: 'RELATIONSHIP' }],
    ['on relationships of the same name', { ...row, entityType: 'RELATIONSHIP' }],
    ['of existence', { ...row, type: 'NODE_PROPERTY_EXISTENCE' }],
    ['of a type', { ...row, type: 'NODE_PROPERTY_TYPE' }],
    ['of existence, described', { description: 'CONSTRAINT ON ( odd `l:Odd `L ) ASSERT exists(odd `l.i`d)' }],
    [
      'on several properties, described',
      { description: 'CONSTRAINT ON ( odd `l:Odd `L ) ASSERT (odd `l.i`d, odd `l.b) IS NODE KEY' },
    ],
  ])('a listed constraint %s is not enough', (_what, listed) => {
    expect(ensures(listed, needed)).toBe(false)
  })
})

test.each([
  [
    { major: 5, minor: 8 },
    'SHOW CONSTRAINTS',
    'CREATE CONSTRAINT IF NOT EXISTS FOR (n:`Odd ``L`) REQUIRE n.`i``d` IS UNIQUE',
  ],
  [
    { major: 4, minor: 4 },
    'SHOW CONSTRAINTS',
    'CREATE CONSTRAINT IF NOT EXISTS FOR (n:`Odd ``L`) REQUIRE n.`i``d` IS UNIQUE',
  ],
  [{ major: 4, minor: 3 }, 'SHOW CONSTRAINTS', 'CREATE CONSTRAINT ON (n:`Odd ``L`) ASSERT n.`i``d` IS UNIQUE'],
  [{ major: 4, minor: 2 }, 'SHOW CONSTRAINTS', 'CREATE CONSTRAINT ON (n:`Odd ``L`) ASSERT n.`i``d` IS UNIQUE'],
  [{ major: 4, minor: 1 }, 'CALL db.constraints()', 'CREATE CONSTRAINT ON (n:`Odd ``L`) ASSERT n.`i``d` IS UNIQUE'],
  [{ major: 3, minor: 0 }, 'CALL db.constraints()', 'CREATE CONSTRAINT ON (n:`Odd ``L`) ASSERT n.`i``d` IS UNIQUE'],
])('constraints are listed and created in the syntax of the server: Bolt %o', (bolt, list, create) => {
  const syntax = constraintSyntax(bolt)
  expect([listing(syntax), creation(needed, syntax)]).toEqual([list, create])
})
