import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { equalsOf, idText, mergeText, requestText } from '../../../packet/identity.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { identityOf, identityRule, idPropertyOf } from '../../../shared/request/identity.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'

const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', Movie: 'title', Series: 'title', City: 'name' }
const rule = identityRule(mappedIndices)

/** The identity of a node as `label.property = id`, or its problem. */
function identified(labels: string[], properties: Record<string, unknown>): string {
  const found = identityOf(rule, { labels, properties: propertiesOf(properties) })
  return 'problem' in found ? found.problem : `${found.label}.${found.idProperty} = ${found.id.json}`
}

const noLabel = 'bears no label, or several, that mappedIndices names'

test('the id properties of all labels, including the default one, are a parameter of queries', () => {
  expect(rule.byLabel).toEqual(Object.fromEntries(rule.idProperties))
})

describe('the label of an identity', () => {
  test('the label of an identity is the one in the property index, in preference to the default label', () => {
    expect(identified(['Movie', 'Person'], { index: 'Movie', title: 'Heat', id: 'p1' })).toBe('Movie.title = "Heat"')
  })

  test('the label of an identity is the default label when the node lacks the label that index names', () => {
    expect(identified(['Person'], { index: 'Movie', title: 'Heat', id: 'p1' })).toBe('Person.id = "p1"')
  })

  test('the label of an identity is the default label when index names a label that mappedIndices does not', () => {
    expect(identified(['Actor', 'Person'], { index: 'Actor', id: 'p1' })).toBe('Person.id = "p1"')
  })

  test('the label of an identity is the default label when index is not a string', () => {
    expect(identified(['Movie', 'Person'], { index: ['Movie'], title: 'Heat', id: 'p1' })).toBe('Person.id = "p1"')
  })

  test('the label of an identity is the default label, in preference to another of mappedIndices', () => {
    expect(identified(['Movie', 'Person'], { title: 'Heat', id: 'p1' })).toBe('Person.id = "p1"')
  })

  test('the label of an identity is the only label of mappedIndices on a node without the default label', () => {
    expect(identified(['Film', 'Movie'], { title: 'Heat' })).toBe('Movie.title = "Heat"')
    expect(identified(['Movie'], { index: 'Person', title: 'Heat', id: 'p1' })).toBe('Movie.title = "Heat"')
  })

  test('a node with several labels of mappedIndices is ambiguous, even if they share the id property', () => {
    expect(identified(['Movie', 'Series'], { title: 'Heat' })).toBe(noLabel)
  })

  test('the label of an identity is one of several labels if index names it', () => {
    expect(identified(['Movie', 'Series'], { index: 'Series', title: 'Heat' })).toBe('Series.title = "Heat"')
  })

  test.each([[[]], [['Actor']], [['DEFAULT_INDEX']], [['toString']]])(
    'the label of an identity is not found among the labels %j',
    (labels) => {
      expect(identified(labels, { id: 'p1', index: labels[0] ?? null })).toBe(noLabel)
    },
  )

  test('the label of an identity is the default label, even if it also has its own entry in mappedIndices', () => {
    const own = identityRule({ ...mappedIndices, Person: 'id' })
    expect(identityOf(own, { labels: ['Person'], properties: propertiesOf({ id: 'p1' }) })).toEqual({
      label: 'Person',
      idProperty: 'id',
      id: { json: '"p1"', wrap: null, list: false },
    })
  })
})

describe('the id of an identity', () => {
  test.each([
    ['a string', 'p1', 'Person.id = "p1"'],
    ['an empty string', '', 'Person.id = ""'],
    ['an integer', 5n, 'Person.id = 5'],
    ['a whole float, which a MERGE matches with the integer', 5, 'Person.id = 5.0'],
    ['an integer beyond 2^53', 9007199254740993n, 'Person.id = "9007199254740993"'],
    ['false', false, 'Person.id = false'],
    ['infinity', Number.POSITIVE_INFINITY, 'Person.id = "Infinity"'],
    ['a list', ['a', 'b'], 'Person.id = ["a","b"]'],
  ])('the id of an identity may be %s', (_what, id, expected) => {
    expect(identified(['Person'], { id })).toBe(expected)
  })

  test.each([
    ['missing', null, 'has no property "id", the id of "Person"'],
    ['NaN', Number.NaN, 'has NaN as its id "id"'],
    ['a list with NaN', [1, Number.NaN], 'has NaN in its id "id"'],
    ['a byte array', new Int8Array([1]), 'has a byte array as its id "id"'],
  ])('the id of an identity is not %s', (_what, id, problem) => {
    expect(identified(['Person'], { id })).toBe(problem)
  })

  test('the id of an identity is that of the chosen label, even if the node has other ids', () => {
    expect(identified(['Person'], { title: 'Heat', name: 'Rome' })).toBe('has no property "id", the id of "Person"')
  })
})

describe('the id property of a label', () => {
  test('the id property of a label is its entry in mappedIndices', () => {
    expect(idPropertyOf(mappedIndices, 'Movie')).toBe('title')
  })

  test.each(['Person', 'Actor', 'DEFAULT_INDEX', 'DEFAULT_ID_FIELD', 'toString', '__proto__'])(
    'the label %s has no entry in mappedIndices',
    (label) => {
      expect(idPropertyOf(mappedIndices, label)).toBeUndefined()
    },
  )
})

test.each([
  ['a string is itself', '"say \\"p1\\""', 'say "p1"'],
  ['an integer is its digits', '5', '5'],
  ['a float is its text', '5.0', '5.0'],
  ['a list is its JSON', '["a"]', '["a"]'],
])('an id as text: %s', (_what, json, text) => {
  expect(idText({ json, wrap: null, list: false })).toBe(text)
})

describe('ids that are equal for MERGE', () => {
  const rendered = (value: unknown, numbers: 'plain' | 'strict' = 'plain') =>
    renderValue(value, numbers) ?? expect.unreachable()

  test.each([
    [5, '5'],
    [5n, '5'],
    [2.5, '2.5'],
    [2n ** 60n, '1152921504606846976'],
    [2 ** 60, '1152921504606846976'],
    ['5', '5'],
    ['5.0', '5.0'],
  ])('the id %s is %s in a request, for either rendering of numbers', (value, text) => {
    expect([requestText(rendered(value)), requestText(rendered(value, 'strict'))]).toEqual([text, text])
  })

  test.each([
    ['a date', new neo4j.types.Date(2020n, 1n, 1n)],
    ['a list', [5n]],
    ['a boolean', true],
  ])('an id that is %s cannot be named in a request', (_what, value) => {
    expect([requestText(rendered(value)), requestText(rendered(value, 'strict'))]).toEqual([null, null])
  })

  test.each([
    ['a point', new neo4j.types.Point(7203n as never, 0, -2.5)],
    ['points in space', [new neo4j.types.Point(9157n as never, 0, -2.5, 1e30)]],
    ['a duration', new neo4j.types.Duration(1n, -2n, 2n ** 60n, 4n)],
    ['a time', new neo4j.types.Time(12n, 0n, 0n, 5n, 3605n)],
    ['a datetime', new neo4j.types.DateTime(2024n, 2n, 29n, 1n, 2n, 3n, 4n, 3600n, 'Europe/Rome')],
  ])('ids that are equal for MERGE include %s in either rendering of numbers', (_what, value) => {
    expect(mergeText(rendered(value, 'strict'))).toBe(mergeText(rendered(value)))
  })

  test('ids that are equal for MERGE include lists of equal numbers of different types', () => {
    expect(mergeText(rendered([1, 2]))).toBe(mergeText(rendered([1n, 2n])))
    expect(mergeText(rendered([2 ** 60]))).toBe(mergeText(rendered([2n ** 60n])))
    expect(mergeText(rendered(['1']))).not.toBe(mergeText(rendered([1n])))
  })

  test('ids that are equal for MERGE exclude ids of different types with equal text', () => {
    const date = new neo4j.types.Date(2020n, 1n, 1n)
    expect(mergeText(rendered(date))).not.toBe(mergeText(rendered('2020-01-01')))
    expect(mergeText(rendered([date]))).not.toBe(mergeText(rendered(['2020-01-01'])))
  })

  test('ids that are equal for MERGE share a text that no string has', () => {
    expect(mergeText(rendered(5))).toBe(mergeText(rendered(5n)))
    expect(mergeText(rendered(2 ** 60))).toBe(mergeText(rendered(2n ** 60n)))
    expect(mergeText(rendered('5'))).not.toBe(mergeText(rendered(5n)))
    expect(mergeText(rendered(2 ** 63))).toBe(mergeText(rendered(2n ** 63n - 1n)))
    expect(mergeText(rendered(2 ** 63))).not.toBe(mergeText(rendered(2n ** 63n - 2n)))
    expect(mergeText(rendered(-(2 ** 63)))).toBe(mergeText(rendered(-(2n ** 63n))))
    // As floats they would be equal.
    expect(mergeText(rendered(2n ** 60n + 1n))).not.toBe(mergeText(rendered(2n ** 60n)))
    expect(mergeText(rendered(`${2n ** 60n}`))).not.toBe(mergeText(rendered(2n ** 60n)))
  })
})

test.each([
  [0, [0, -0]],
  [-0, [0, -0]],
  [0n, [0, -0]],
  [2n ** 63n - 1n, [2n ** 63n - 1n, 2 ** 63]],
  [2 ** 63, [2n ** 63n - 1n, 2 ** 63]],
  [-(2n ** 63n), null],
  [-(2 ** 63), null],
  ['0', null],
  ['9223372036854775807', null],
  [[0], null],
  [10n, null],
  [0.5, null],
])('the ids that MERGE finds equal to %s, although a constraint allows a node of each, are %s', (id, equals) => {
  for (const numbers of ['plain', 'strict'] as const) {
    expect(equalsOf(renderValue(id, numbers) ?? expect.unreachable())).toEqual(equals)
  }
})
