import fc from 'fast-check'
import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import { comparisonOf, type Direction, type KeepClause } from '../../../packet/kinds/keep-clauses.ts'
import type { Structure } from '../../../packet/kinds/kinds.ts'
import type { Expression } from '../../../packet/kinds/statement.ts'
import type { Wrap } from '../../../packet/values/values.ts'
import { collidingNames, printableNames } from '../../replay/odd-names.ts'

const wraps: Wrap[] = [
  ...(['toInteger', 'toFloat', 'date', 'localtime', 'time', 'localdatetime', 'datetime', 'duration', 'point'] as const),
  ...(['pointByFields', 'pointInSpaceByFields', 'durationByFields', 'timeByFields', 'datetimeByFields'] as const),
]

/** Names that look like syntax, among others. */
export const anyName = fc
  .oneof(
    fc.constantFrom(...collidingNames, ...printableNames, 'srid', 'epochSeconds', ' OR ', '$a}', '{a', 'r', 'DELETE r'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 9 }),
  )
  .filter(isQuotable)

const expression = fc.oneof(
  fc.constant({ wrap: null, list: false }),
  fc.record({ wrap: fc.constantFrom(...wraps), list: fc.boolean() }),
)
const anchor = fc.record({ label: anyName, idProperty: anyName, id: expression })
const end = fc.record({ label: anyName, idProperty: anyName })
const ends = fc.record({ start: anchor, type: anyName, end: anchor })
const field = fc.record({ key: anyName, value: expression })
const names = fc.array(anyName, { maxLength: 3 })

/** Fields and protected keys, each key once, in the order in which the service writes them. */
const map = fc
  .uniqueArray(fc.record({ key: anyName, value: fc.option(expression) }), { selector: ({ key }) => key, maxLength: 6 })
  .map((all) => {
    const sorted = all.toSorted((a, b) => byCodePoint(a.key, b.key))
    return {
      fields: sorted.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }])),
      protectedKeys: sorted.flatMap(({ key, value }) => (value === null ? [key] : [])),
    }
  })

const nodeUpsert = fc
  .record({ node: anchor, map, added: names, removed: names })
  .map(({ node, map: { fields, protectedKeys }, added, removed }) => {
    const id = { key: node.idProperty, value: node.id }
    return {
      kind: 'nodeUpsert' as const,
      node,
      // The id is one of the fields, with the expression by which the node is found, and its label stays. Contract 4.15, 5.
      fields: [...fields.filter(({ key }) => key !== id.key), id].sort((a, b) => byCodePoint(a.key, b.key)),
      changes: {
        protectedKeys: protectedKeys.filter((key) => key !== id.key),
        added,
        removed: removed.filter((label) => label !== node.label),
      },
    }
  })

const relationshipUpsert = fc
  .record({ ends, map, idAt: fc.option(fc.nat(5)) })
  .map(({ ends: between, map: { fields, protectedKeys }, idAt }) => ({
    kind: 'relationshipUpsert' as const,
    ends: between,
    fields,
    protectedKeys,
    idField: idAt === null ? null : (fields[idAt]?.key ?? null),
  }))

// Only a cleanup distinguishes lists without an expression.
const plainList = { wrap: null, list: true }
const keptExpression = fc.oneof(expression, fc.constant(plainList))

const farEnd = (direction: Direction) => ({
  direction: direction === 'both' ? fc.constantFrom('out' as const, 'in' as const) : fc.constant(direction),
  label: anyName,
  idProperty: anyName,
  id: keptExpression,
})

/** An id of a pair as it is read: the text does not show which of two plain ids is a list. */
const asRead = (id: Expression) => (id.wrap === null ? plainList : id)

const keptBy = (direction: Direction): fc.Arbitrary<KeepClause> =>
  fc.oneof(
    fc.record({ by: fc.constant('farEnd' as const), ...farEnd(direction) }),
    fc
      .record({
        by: fc.constant('farEndAndId' as const),
        ...farEnd(direction),
        field: anyName,
        relationshipId: keptExpression,
      })
      .map((pair) =>
        comparisonOf(pair) !== 'in'
          ? { ...pair, id: asRead(pair.id), relationshipId: asRead(pair.relationshipId) }
          : pair,
      ),
    fc.record({ by: fc.constant('relationshipId' as const), field: anyName, id: keptExpression }),
  )

const cleanup = fc.constantFrom('out' as const, 'in' as const, 'both' as const).chain((direction) =>
  fc.record({
    kind: fc.constant('cleanup' as const),
    node: anchor,
    type: fc.record({ type: anyName, direction: fc.constant(direction) }),
    clauses: fc.array(keptBy(direction), { maxLength: 12 }),
  }),
)

const postback = fc.oneof(
  fc
    .record({ kind: fc.constant('postback' as const), of: fc.constant('node' as const), node: anchor, stamp: field })
    .filter(({ node, stamp }) => node.idProperty !== stamp.key),
  fc
    .record({
      kind: fc.constant('postback' as const),
      of: fc.constant('relationship' as const),
      ends,
      id: fc.option(field),
      stamp: field,
    })
    .filter(({ id, stamp }) => id?.key !== stamp.key),
)

/** What any statement of the service says. */
export const anyStructure: fc.Arbitrary<Structure> = fc.oneof(
  nodeUpsert,
  relationshipUpsert,
  cleanup,
  postback,
  fc.record({ kind: fc.constant('relationshipCreate' as const), ends }),
  fc.record({
    kind: fc.constant('nodeDelete' as const),
    node: end,
    id: keptExpression,
    except: fc.array(anchor, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('relationshipDelete' as const), ends, id: fc.option(field) }),
  fc
    .record({
      kind: fc.constant('deleteProperties' as const),
      node: anchor,
      keys: fc.array(anyName, { minLength: 1, maxLength: 4 }),
    })
    .filter(({ node, keys }) => !keys.includes(node.idProperty)),
)
