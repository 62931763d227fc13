import { describe, expect, test } from 'vitest'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { formsOfAll } from '../../../shared/request/select.ts'
import { validRequest } from '../valid-request.ts'

const { originIds: _, ...rest } = validRequest
const parse = (fields: object) => parsePublishRequest({ ...rest, ...fields })
const messages = (fields: object) => parse(fields).issues.map(({ path, message }) => `${path}: ${message}`)
const label = rest.mappedIndices.DEFAULT_INDEX

describe('select', () => {
  test('takes the place of originIds and of mappedIndices', () => {
    expect(messages({ select: [{ label }] })).toEqual([])
    expect(messages({ select: [{ label: '*', where: { a: ['x', 1, true] } }], mappedIndices: null })).toEqual([])
    expect(messages({ select: [{ label: 'A' }], mappedIndices: { A: 'id' } })).toEqual([])
  })

  test.each([
    [{ originIds: ['1'] }, 'originIds: must not be given together with select'],
    [{ index: label }, 'index: must not be given together with select, which names labels'],
    [
      { relationshipIds: ['r'], relationshipIdField: 'grn', preventCleanup: true, relationships: [] },
      'relationshipIds: must not be given together with select',
    ],
    [{ maxNodes: 0 }, 'maxNodes: must be more than 0'],
    [{ maxNodes: 1.5 }, 'maxNodes: must be a whole number'],
    [{ select: [] }, 'select: must not be empty'],
    [
      { select: [{ label: 'Other' }] },
      'select[0].label: must be a label in mappedIndices or the value of DEFAULT_INDEX',
    ],
    [{ select: [{ label, where: {} }] }, 'select[0].where: must not be empty'],
    [{ select: [{ label, where: { a: [] } }] }, 'select[0].where.a: must not be empty'],
    [
      { select: [{ label, where: { a: null } }] },
      expect.stringMatching(/^select\[0\]\.where\.a: must be a string, a boolean or a number;/),
    ],
    [{ select: [{ label, wher: {} }] }, 'select[0].wher: unknown field'],
    [
      { mappedIndices: { DEFAULT_INDEX: label } },
      'mappedIndices.DEFAULT_ID_FIELD: required, the property that identifies its nodes',
    ],
  ])('%j is refused', (fields, message) => {
    expect(messages({ select: [{ label }], ...fields })).toEqual([message])
  })

  test('refuses a number that is not exact, and maxNodes without select', () => {
    expect(messages({ select: [{ label, where: { a: 2 ** 53 } }] })[0]).toMatch(
      /^select\[0\]\.where\.a: .*beyond 53 bits is written as a string/,
    )
    expect(messages({ originIds: ['1'], maxNodes: 5 })).toEqual(['maxNodes: needs select'])
  })

  test('becomes selectors: every label of mappedIndices, and values in each form in which they may be stored', () => {
    const asked = ['5', 5, 1.5, '05', false]
    const { request } = parse({
      mappedIndices: { A: 'id', B: 'key' },
      select: [{ label: '*', where: { n: asked } }, { label: 'B' }],
    })
    expect(formsOfAll(asked)).toEqual(['5', 5n, 5n, 1.5, '05', false])
    expect(planOf(request).selectors).toEqual([
      { labels: ['A', 'B'], where: [{ property: 'n', asked }] },
      { labels: ['B'], where: [] },
    ])
    expect(planOf(parse({ select: [{ label: '`*`' }], mappedIndices: { '*': 'id' } }).request).selectors).toEqual([
      { labels: ['*'], where: [] },
    ])
  })
})

describe('every type', () => {
  const planned = (relationships: string[]) => {
    const { relationships: named, everyType } = planOf(parse({ select: [{ label }], relationships }).request)
    return [named.map(({ type }) => type), everyType]
  }

  test('stands for itself in each direction, and a type of its name is in backticks', () => {
    expect(planned(['*'])).toEqual([[], 'both'])
    expect(planned(['*>', 'A'])).toEqual([['A'], 'out'])
    expect(planned(['*>', '<*'])).toEqual([[], 'both'])
    expect(planned(['`*`'])).toEqual([['*'], null])
    expect(planned(['constructor', 'toString'])).toEqual([['constructor', 'toString'], null])
  })

  test('is no step of toLayer', () => {
    expect(messages({ select: [{ label }], toLayer: ['*'] })).toEqual([
      'toLayer[0]: must name a type; a type * stands in backticks',
    ])
  })
})
