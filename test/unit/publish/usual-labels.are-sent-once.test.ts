import { expect, test } from 'vitest'
import { createUsualLabels } from '../../../shared/publish/read/label-cache.ts'

test('the labels seen last are not sent again: null stands for them in the rows of that query', () => {
  const { nodes } = createUsualLabels()
  const first = nodes.ask()
  expect(first.parameters).toEqual({ usual: null })
  expect(first.expressionFor('n')).toMatchInlineSnapshot(`"CASE WHEN labels(n) = $usual THEN null ELSE labels(n) END"`)
  expect([['Person'], null, ['Person', 'Admin'], null].map(first.read)).toEqual([
    ['Person'],
    [],
    ['Person', 'Admin'],
    [],
  ])
  const second = nodes.ask()
  expect(second.parameters).toEqual({ usual: ['Person', 'Admin'] })
  expect([null, ['Admin', 'Person'], []].map(second.read)).toEqual([['Person', 'Admin'], ['Admin', 'Person'], []])
  expect(first.read(null)).toEqual([])
})

test('equal labels share one list, and nodes and far ends are tracked separately', () => {
  const { nodes, farEnds } = createUsualLabels()
  const { read } = nodes.ask()
  const labels = read(['Person'])
  expect(read(['Person'])).toBe(labels)
  expect(nodes.ask().read(null)).toBe(labels)
  expect(farEnds.ask().read(null)).toEqual([])
})
