import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { join, param, parameterNames, render, template } from '../../../../packet/cypher/parameters.ts'

describe('a template', () => {
  const id = param('id')
  const text = template`MATCH (n {id: ${id}}) ${template`SET n.${'x'} = ${param('x')}`}`

  test('a template is rendered with braces for earlier databases', () => {
    expect(render(text, 'braces')).toBe('MATCH (n {id: {id}}) SET n.x = {x}')
  })

  test('a template is rendered with a dollar for later ones', () => {
    expect(render(text, 'dollar')).toBe('MATCH (n {id: $id}) SET n.x = $x')
  })

  test('a template does not change text that looks like a parameter', () => {
    expect(render(template`${'`{a}$b`'} ${param('c')}`, 'dollar')).toBe('`{a}$b` $c')
  })

  test('a template joins templates with a separator', () => {
    expect(render(join([[id], ['b'], [param('c')]], ', '), 'braces')).toBe('{id}, b, {c}')
    expect(render(join([], ', '), 'braces')).toBe('')
  })
})

describe('parameter names', () => {
  test('parameter names are the keys themselves where possible', () => {
    expect(parameterNames(['id', 'name', '_x1', 'ids_x', 'Ids', 'toString'])).toEqual([
      'id',
      'name',
      '_x1',
      'ids_x',
      'Ids',
      'toString',
    ])
  })

  test.each(['', '1st', 'a b', 'a.b', 'a-b', 'a`b', 'naïve', 'a\n', '$a'])(
    'parameter names are numbered for %j',
    (key) => {
      expect(parameterNames([key])).toEqual(['p_0'])
    },
  )

  test.each([
    'ids',
    'ids_0',
    'ids_12',
    'baseId',
    'a_id',
    'b_id',
    'startId',
    'endId',
    '__proto__',
    'constructor',
    'prototype',
  ])('parameter names are numbered for %s, which is reserved', (key) => {
    expect(parameterNames([key])).toEqual(['p_0'])
  })

  test('parameter names skip numbers that a key already uses, at any position', () => {
    expect(parameterNames(['a b', 'p_0', 'a.b', 'p_2', 'a-b'])).toEqual(['p_1', 'p_0', 'p_3', 'p_2', 'p_4'])
  })

  test('parameter names skip names that the statement uses', () => {
    expect(parameterNames(['id', 'name', 'a b'], ['id', 'p_1'])).toEqual(['p_0', 'name', 'p_2'])
  })

  test('parameter names are plain and distinct for any keys', () => {
    const odd = fc.constantFrom('p_0', 'p_1', 'p_2', 'ids_0', 'id', 'a b', 'constructor')
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(odd, fc.string({ unit: 'binary' }))), (keys) => {
        const names = parameterNames(keys, ['id'])
        expect(new Set([...names, 'id']).size).toBe(keys.length + 1)
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
      }),
    )
  })
})
