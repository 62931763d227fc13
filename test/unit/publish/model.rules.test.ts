import fc from 'fast-check'
import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { kind } from '../../../packet/packstream/kinds.ts'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import type { Properties } from '../../../shared/origin/properties.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { NodeUpserts } from '../../../shared/publish/pairs/node-upserts.ts'
import type { BoundModel } from '../../../shared/request/bound-model.ts'
import { identityOf } from '../../../shared/request/identity.ts'
import { typeOf } from '../../../shared/request/model/data-types.ts'
import { createModelRules, type Violation } from '../../../shared/request/model/model-rules.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { driverOf, propertiesOf } from '../../support/origins/packstream.ts'
import { anyProperties } from '../any-value.ts'

const keys = ['id', 'a', 'b c', '__proto__', 'kept', 'gone']
const dataTypes = [
  'String',
  'integer',
  'Float',
  'Number',
  'boolean',
  'Date',
  'DateTime',
  'LocalDateTime',
  'Duration',
  'Point',
  'LocalTime',
  'Number[]',
  'string[]',
  'anything',
  '',
]
const property = fc.record({
  key: fc.constantFrom(...keys, 'born', 'seen', 'at'),
  dataType: fc.constantFrom(...dataTypes),
  required: fc.boolean(),
})
const model: fc.Arbitrary<BoundModel> = fc
  .record({
    person: fc.uniqueArray(property, { selector: ({ key }) => key, maxLength: 9 }),
    hasAdmin: fc.boolean(),
  })
  .map(({ person, hasAdmin }) => ({
    version: 'grn',
    types: [
      {
        label: 'Person',
        properties: person.map(({ required, ...rest }) => ({ ...rest, ...(required ? { required } : {}) })),
      },
      ...(hasAdmin ? [{ label: 'Admin', properties: [] }] : []),
    ],
    properties: keys,
  }))

/** The types of values by the words of the documentation, and which of them each word allows. */
const kinds: [word: RegExp, is: (value: unknown) => boolean][] = [
  [/^string$/i, (value) => typeof value === 'string'],
  [/^boolean$/i, (value) => typeof value === 'boolean'],
  [/^integer$/i, (value) => typeof value === 'bigint'],
  [/^float$/i, (value) => typeof value === 'number'],
  [/^number$/i, (value) => typeof value === 'bigint' || typeof value === 'number'],
  [/^date$/i, (value) => neo4j.isDate(value as object)],
  [/^datetime$/i, (value) => neo4j.isDateTime(value as object)],
  [/^localdatetime$/i, (value) => neo4j.isLocalDateTime(value as object)],
  [/^localtime$/i, (value) => neo4j.isLocalTime(value as object)],
  [/^duration$/i, (value) => neo4j.isDuration(value as object)],
  [/^point$/i, (value) => neo4j.isPoint(value as object)],
]
function allows(dataType: string, value: unknown): boolean {
  const element = dataType.replace('[]', '')
  const is = kinds.find(([word]) => word.test(element))?.[1]
  if (is === undefined) return true
  return dataType.endsWith('[]') ? Array.isArray(value) && value.every(is) : !Array.isArray(value) && is(value)
}

interface Expected {
  broken: string[]
  omitted: string[]
  isSkipped: boolean
}

/** Reference implementation of the rules, for one node identified by `id`. */
function expected(
  { types }: BoundModel,
  mode: string,
  labels: readonly string[],
  values: ReadonlyMap<string, unknown>,
): Expected {
  const person = types[0]?.properties ?? []
  const unpublished = ['kept', 'gone']
  const wrong = [...values.keys()].filter((key) => {
    const rule = person.find((one) => one.key === key)
    return key !== 'id' && !unpublished.includes(key) && (!rule || !allows(rule.dataType ?? '', values.get(key)))
  })
  const required = person.filter((one) => one.required && one.key !== 'id' && !unpublished.includes(one.key))
  const absent = required.filter((one) => !values.has(one.key)).map(({ key }) => key)
  const useless = required.filter((one) => wrong.includes(one.key)).map(({ key }) => key)
  const isSkipped = mode === 'omit' && absent.length + useless.length > 0
  const noTypes = labels.filter((label) => !types.some((type) => type.label === label))
  const broken = isSkipped
    ? [...absent.map((key) => `required ${key}`), ...useless.map((key) => `type ${key}`)]
    : [
        ...absent.map((key) => `required ${key}`),
        ...noTypes,
        ...wrong.map((key) => (person.some((one) => one.key === key) ? `type ${key}` : `unknown ${key}`)),
      ]
  return { broken: broken.sort(), omitted: mode === 'omit' && !isSkipped ? wrong.sort() : [], isSkipped }
}

function textOf({ rule, property, problem }: Violation): string {
  if (rule === 'nodeType') return /"(.*)"/.exec(problem)?.[1] ?? ''
  return `${{ required: 'required', dataType: 'type', property: 'unknown' }[rule]} ${property}`
}

const about = () => 'the element'
const driver = driverOf('5x0')
/** The type of a property; null if the element does not have it. */
const typeOfProperty = (element: Properties, key: string) => {
  const of = element.kindOf(key)
  return of === kind.absent ? null : typeOf(of)
}
const mode = fc.constantFrom('fail' as const, 'report' as const, 'omit' as const)
const labels = fc.constantFrom(['Person'], ['Person', 'Admin'], ['Other', 'Person'])
const sample = fc.array(anyProperties([...keys, 'born', 'seen', 'at']), { minLength: 2, maxLength: 6 })

test('10,000 nodes are judged as the rules say, each time they are read', () => {
  const seen = { nodes: 0, broken: 0, skipped: 0, omitted: 0 }
  fc.assert(
    fc.property(model, mode, labels, sample, (bound, onModelViolation, labels, elements) => {
      const plan = planOf({
        dbUrl: 'bolt://db',
        credentials: '',
        model: 'm',
        onModelViolation,
        onUnpublishable: 'skip' as const,
        mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
        protectedNodeProperties: ['kept'],
        deleteProperties: ['gone'],
      })
      const rules = createModelRules(bound)(plan)
      const upserts = new NodeUpserts(plan, createPairMaker('dollar'), rules)
      const identity = identityOf(plan.identity, { labels, properties: propertiesOf({ id: '1' }) })
      if ('problem' in identity) throw new Error(identity.problem)
      const lacksOf = (element: Properties) =>
        rules.required('Person').flatMap((key) => {
          const violation = rules.lacks(identity, key, typeOfProperty(element, key))
          return violation ? [textOf(violation)] : []
        })
      const shapes = new Shapes()
      for (const element of [...elements, ...elements]) {
        const wanted = expected(bound, onModelViolation, labels, element)
        const properties = propertiesOf(element, driver, shapes)
        const lacks = lacksOf(properties)
        const keys = { labels, properties }
        const made = upserts.shapeOf(identity, keys, about)
        const isSkipped = onModelViolation === 'omit' && lacks.length > 0
        expect({
          broken: [...lacks, ...(isSkipped ? [] : made.verdict.violations.map(textOf))].sort(),
          omitted: isSkipped ? [] : [...made.verdict.omitted].sort(),
          isSkipped,
        }).toEqual(wanted)
        seen.nodes++
        seen.broken += wanted.broken.length
        seen.skipped += wanted.isSkipped ? 1 : 0
        seen.omitted += wanted.omitted.length
        // What is omitted is neither published nor deleted at the target.
        const { statement, parameters } = JSON.parse(
          `${upserts.bytesOf(made, identity, keys, () => 'an element')}null}`,
        )
        for (const key of made.verdict.omitted) {
          expect(statement).toContain(`n.\`${key}\``)
          expect(Object.hasOwn(parameters, key)).toBe(false)
        }
      }
    }),
    { numRuns: 1_400 },
  )
  expect(seen.nodes).toBeGreaterThan(9_000)
  expect(Math.min(seen.broken, seen.skipped, seen.omitted)).toBeGreaterThan(500)
})

test('what identifies a node must be a node type, and its id of the right type', () => {
  const bound: BoundModel = {
    version: 'grn',
    types: [{ label: 'Person', properties: [{ key: 'id', dataType: 'Integer' }] }],
    properties: ['id'],
  }
  const { identity } = createModelRules(bound)(
    planOf({ dbUrl: 'bolt://db', credentials: '', mappedIndices: {}, model: 'm' }),
  )
  const id = { json: '1', wrap: null, list: false }
  const judged = (label: string, idProperty: string, type: 'Integer' | 'String') =>
    identity({ label, idProperty, id }, type)
  expect(judged('Person', 'id', 'Integer')).toBeNull()
  expect(judged('Person', 'id', 'String')).toMatchObject({ rule: 'dataType', property: 'id' })
  expect(judged('Person', 'name', 'String')).toMatchObject({ rule: 'property', property: 'name' })
  expect(judged('Movie', 'id', 'Integer')).toMatchObject({ rule: 'nodeType', property: null })
})
