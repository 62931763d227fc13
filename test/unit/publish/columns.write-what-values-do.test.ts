import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NodeUpserts } from '../../../shared/publish/pairs/node-upserts.ts'
import { pairText } from '../../../shared/publish/pairs/pair.ts'
import { createPairMaker } from '../../../shared/publish/pairs/pair-maker.ts'
import { type RelationshipUpsert, RelationshipUpserts } from '../../../shared/publish/pairs/relationship-upserts.ts'
import { type Columns, columnsOf, type Properties, propertiesOf } from '../../../shared/publish/read/columns.ts'
import type { PublishRequest } from '../../../shared/publish/request/fields.ts'
import { identityOf } from '../../../shared/publish/request/identity.ts'
import { planOf } from '../../../shared/publish/request/plan.ts'
import { anyProperties, anyValue, rowOf } from '../any-properties.ts'

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
  timestampRelationships: fc.boolean(),
  timestampProperty: fc.constant('stamp'),
  relationshipIdField: fc.constantFrom(undefined, 'a'),
})

/** Elements as read: a sample from which the columns are derived, and others to read with them. */
const elements = fc.tuple(
  fc.array(anyProperties(keys), { minLength: 1, maxLength: 8 }),
  fc.array(anyProperties(keys), { maxLength: 8 }),
)
const node = fc.record({
  id: anyValue,
  labels: fc.constantFrom(['Person'], ['Person', 'Admin'], ['Per`son', 'Person']),
})

function readAs(columns: Columns, properties: Properties): Properties | null {
  const read = propertiesOf(columns, [...rowOf(columns, properties), 'head'])
  const fits = properties.keys.every((key) => columns.at.has(key))
  if (!fits) expect(read).toBeNull()
  return read
}

const about = () => 'the element'

const textOrError = (make: () => string): string => {
  try {
    return make()
  } catch (error) {
    return (error as Error).message
  }
}

describe('an upsert from columns is byte-identical to the one from values', () => {
  test('for any node', () => {
    let compared = 0
    fc.assert(
      fc.property(request, elements, node, (asked, [sample, others], { id, labels }) => {
        const plan = planOf(asked)
        const ids = plan.identity.columns.map(() => id)
        const identity = identityOf(plan.identity, { labels, index: null, ids })
        fc.pre(!('problem' in identity))
        const columns = columnsOf(sample, ['index', ...plan.identity.columns], null) as Columns
        const upserts = new NodeUpserts(plan, createPairMaker('dollar'))
        for (const properties of [...sample, ...others]) {
          const read = readAs(columns, properties)
          if (read === null) continue
          const made = upserts.fromColumns(identity, labels, read, about)
          const expected = textOrError(() => pairText(upserts.fromValues(identity, labels, properties, about).pair))
          if (made === null) expect(expected).toMatch(/^the element has a .* as its property/)
          else {
            expect(made.bytes.toString()).toBe(expected)
            expect(made.keys).toEqual(upserts.fromValues(identity, labels, properties, about).keys)
            compared++
          }
        }
      }),
    )
    expect(compared).toBeGreaterThan(100)
  })

  test('for values of one key that need different expressions', () => {
    const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }
    const plan = planOf({ dbUrl: 'bolt://db', credentials: '', mappedIndices })
    const identity = identityOf(plan.identity, { labels: ['Person'], index: null, ids: ['p'] })
    if ('problem' in identity) return expect.unreachable(identity.problem)
    const values = [1n, 2n ** 60n, [1n], [2n ** 60n], 0.5, Number.NaN, [Number.NaN], 'text', ['text']]
    const all = values.map((value): Properties => ({ keys: ['id', 'a'], values: ['p', value], columns: null }))
    const columns = columnsOf(all, ['id'], null) as Columns
    const upserts = new NodeUpserts(plan, createPairMaker('dollar'))
    for (const properties of all) {
      const read = readAs(columns, properties) ?? expect.unreachable()
      const made = upserts.fromColumns(identity, ['Person'], read, about)
      const { pair } = upserts.fromValues(identity, ['Person'], properties, about)
      expect(made?.bytes.toString()).toBe(pairText(pair))
    }
  })

  test('for any relationship', () => {
    let compared = 0
    fc.assert(
      fc.property(request, elements, node, (asked, [sample, others], { id, labels }) => {
        const plan = planOf(asked)
        const ids = plan.identity.columns.map(() => id)
        const end = identityOf(plan.identity, { labels, index: null, ids })
        fc.pre(!('problem' in end))
        const ends = { start: end, type: 'KNOWS', end: { ...end, label: 'Movie' } }
        const field = plan.relationshipIdField
        const columns = columnsOf(sample, field === null ? [] : [field], null) as Columns
        const upserts = new RelationshipUpserts(plan, createPairMaker('braces'), stamp)
        for (const properties of [...sample, ...others]) {
          const read = readAs(columns, properties)
          if (read === null) continue
          const made = upserts.fromColumns(ends, read)
          let values: RelationshipUpsert | null = null
          const expected = textOrError(() => {
            values = upserts.fromValues(7, ends, properties)
            return 'pair' in values ? pairText(values.pair) : ''
          })
          if (made === null) expect(expected).toMatch(/^the relationship 7 of type "KNOWS" has a .* as its property/)
          else {
            expect('shape' in made && upserts.bytesOf(ends, made.shape, read).toString()).toBe(expected)
            expect(made.id).toEqual((values as RelationshipUpsert | null)?.id)
            compared++
          }
        }
      }),
    )
    expect(compared).toBeGreaterThan(100)
  })
})
