import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import type { Identity } from '../../../packet/identity.ts'
import { pairText } from '../../../packet/pair.ts'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { NodeUpserts } from '../../../shared/publish/pairs/node-upserts.ts'
import { RelationshipUpserts } from '../../../shared/publish/pairs/relationship-upserts.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'
import { identityOf } from '../../../shared/request/identity.ts'
import { type Plan, planOf } from '../../../shared/request/plan.ts'
import { driverOf, propertiesOf } from '../../support/origins/packstream.ts'
import { fieldsOf, nodeUpsertOf, relationshipUpsertOf } from '../../support/replay/upserts.ts'
import { anyProperties, anyValue } from '../any-value.ts'

const keys = ['id', 'index', 'a', 'b c', 'é`', '__proto__', '10', 'p_0', 'stamp', 'kept', 'gone', 'a_id']
const stamp = { key: 'stamp', value: { json: '1700000000000', wrap: null, list: false } }

const request: fc.Arbitrary<PublishRequest> = fc.record({
  dbUrl: fc.constant('bolt://db'),
  credentials: fc.constant(''),
  mappedIndices: fc.constantFrom(
    { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
    { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'a' },
  ),
  numbers: fc.constantFrom('plain' as const, 'strict' as const),
  protectedNodeProperties: fc.constantFrom([], ['kept', 'b c']),
  protectedRelationshipProperties: fc.constantFrom([], ['kept', 'b c']),
  deleteProperties: fc.constantFrom([], ['gone']),
  dynamicLabels: fc.constantFrom<Record<string, string[]>>({}, { Person: ['Admin', 'Guest'] }),
  onUnpublishable: fc.constantFrom('fail' as const, 'skip' as const),
  timestampRelationships: fc.boolean(),
  timestampProperty: fc.constant('stamp'),
  relationshipIdField: fc.constantFrom(undefined, 'a'),
})

const elements = fc.array(anyProperties(keys), { minLength: 1, maxLength: 8 })
const node = fc.record({
  id: anyValue,
  labels: fc.constantFrom(['Person'], ['Person', 'Admin'], ['Per`son', 'Person']),
})
const driver = driverOf('5x0')

type Values = ReadonlyMap<string, unknown>

/** The values as the driver takes them: a lone surrogate becomes U+FFFD. */
const asSent = (values: Values): Values =>
  new Map([...values].map(([key, value]) => [key, driver.unpack(driver.pack(value))]))

const about = () => 'the element'

const textOrError = (make: () => string): string => {
  try {
    return make()
  } catch (error) {
    return (error as Error).message
  }
}

/** The values that are published, and the keys of those that must be left out as they cannot be. */
function published(plan: Plan, values: Values, unpublished: readonly string[]) {
  const allowed = new Map([...values].filter(([key]) => !unpublished.includes(key)))
  const fields = fieldsOf(allowed, plan.identity.numbers)
  const leftOut = [...allowed.keys()].filter((key) => !fields.some((field) => field.key === key))
  return { fields, leftOut }
}

/** Reference implementation: the pair of a node, from its values. */
function nodeText(plan: Plan, identity: Identity, labels: readonly string[], values: Values): string {
  const { fields, leftOut } = published(plan, values, [...plan.deletedProperties, ...plan.protectedNodeProperties])
  if (leftOut.length > 0 && !plan.skips) return `the element cannot be published: ${leftOut[0]}`
  const added = labels.filter((label) => label !== identity.label).sort(byCodePoint)
  const listed = labels.includes('Person') ? (plan.dynamicLabels.get('Person') ?? []) : []
  const removed = listed.filter((label) => !labels.includes(label)).sort(byCodePoint)
  const protectedKeys = [...plan.protectedNodeProperties, ...leftOut.filter(isQuotable)].sort(byCodePoint)
  return pairText(nodeUpsertOf(createPairMaker('dollar'), identity, fields, { protectedKeys, added, removed }))
}

const isRefused = (text: string) => /^the (element|relationship 7 of type "KNOWS") has a .* as its property/.test(text)

describe('an upsert from bytes is byte-identical to the one from values', () => {
  test('an upsert from bytes equals the one from values for nodes with any properties and labels', () => {
    let compared = 0
    fc.assert(
      fc.property(request, elements, fc.array(node, { minLength: 1, maxLength: 3 }), (asked, all, nodes) => {
        const plan = planOf(asked)
        const upserts = new NodeUpserts(plan, createPairMaker('dollar'))
        const shapes = new Shapes()
        const [key = ''] = plan.identity.idProperties.values()
        for (const values of [...all, ...all]) {
          const properties = propertiesOf(values, driver, shapes)
          for (const { id, labels } of nodes) {
            const identity = identityOf(plan.identity, { labels, properties: propertiesOf({ [key]: id }) })
            if ('problem' in identity) continue
            const keys = { labels, properties }
            const text = textOrError(() => {
              const made = upserts.shapeOf(identity, keys, about)
              expect(made.keys).toEqual([...made.keys].sort(byCodePoint))
              return upserts.bytesOf(made, identity, keys, () => 'an element').toString()
            })
            const expected = nodeText(plan, identity, labels, asSent(values))
            if (isRefused(text)) expect(expected).toMatch(/^the element cannot be published: /)
            else {
              expect(text).toBe(expected)
              compared++
            }
          }
        }
      }),
    )
    expect(compared).toBeGreaterThan(500)
  })

  test('an upsert from bytes equals the one from values if values of one key need different expressions', () => {
    const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }
    const plan = planOf({ dbUrl: 'bolt://db', credentials: '', mappedIndices })
    const labels = ['Person']
    const upserts = new NodeUpserts(plan, createPairMaker('dollar'))
    const shapes = new Shapes()
    const of = [
      1n,
      2n ** 60n,
      [1n],
      [2n ** 60n],
      [],
      0.5,
      Number.NaN,
      [0.5, Number.NaN],
      'text',
      ['text'],
      true,
      [true],
    ]
    for (const value of [...of, ...of.toReversed()]) {
      const values = new Map<string, unknown>([
        ['id', 'p'],
        ['a', value],
      ])
      const keys = { labels, properties: propertiesOf(values, driver, shapes) }
      const identity = identityOf(plan.identity, keys)
      if ('problem' in identity) return expect.unreachable(identity.problem)
      const text = upserts
        .bytesOf(upserts.shapeOf(identity, keys, about), identity, keys, () => 'an element')
        .toString()
      expect(text).toBe(nodeText(plan, identity, labels, asSent(values)))
    }
  })

  test('an upsert from bytes equals the one from values for relationships with any ends', () => {
    let compared = 0
    fc.assert(
      fc.property(request, elements, fc.array(anyValue, { minLength: 1, maxLength: 3 }), (asked, all, ids) => {
        const plan = planOf(asked)
        const field = plan.relationshipIdField
        const upserts = new RelationshipUpserts(plan, createPairMaker('braces'), stamp)
        const shapes = new Shapes()
        const [key = ''] = plan.identity.idProperties.values()
        const added = plan.timestamp.stampsRelationships ? [stamp] : []
        const unpublished = [...plan.protectedRelationshipProperties, ...added.map((one) => one.key)]
        for (const values of [...all, ...all]) {
          const properties = propertiesOf(values, driver, shapes)
          for (const id of ids) {
            const end = identityOf(plan.identity, { labels: ['Person'], properties: propertiesOf({ [key]: id }) })
            if ('problem' in end) continue
            const ends = { start: end, type: 'KNOWS', end: { ...end, label: 'Movie' } }
            const text = textOrError(() => {
              const made = upserts.shapeOf(7, ends, properties)
              return upserts.bytesOf(made, ends, properties, () => 'an element').toString()
            })
            const { fields, leftOut } = published(plan, asSent(values), unpublished)
            expect(isRefused(text)).toBe(leftOut.length > 0 && !plan.skips)
            if (isRefused(text)) continue
            const protectedKeys = [...plan.protectedRelationshipProperties, ...leftOut.filter(isQuotable)].sort(
              byCodePoint,
            )
            const stamped = [...fields, ...added].sort((a, b) => byCodePoint(a.key, b.key))
            const pair = relationshipUpsertOf(createPairMaker('braces'), ends, stamped, protectedKeys, field)
            expect(text).toBe(pairText(pair))
            expect(upserts.idOf(properties)).toEqual(fields.find((one) => one.key === field) ?? null)
            compared++
          }
        }
      }),
    )
    expect(compared).toBeGreaterThan(500)
  })
})
