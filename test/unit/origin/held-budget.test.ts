import { expect, test } from 'vitest'
import { createHeldBudget } from '../../../shared/origin/held-budget.ts'

/** A budget of 100 bytes, and the names of the holders that it has refused. */
function openBudget() {
  const refused: string[] = []
  const budget = createHeldBudget(100)
  return { refused, open: (name: string, tenant = name) => budget.open(tenant, () => refused.push(name)) }
}

test('the budget refuses the holder of the largest tenant, and the others keep what they hold', () => {
  const { refused, open } = openBudget()
  const [small, large] = [open('small'), open('large')]
  large.change(80)
  small.change(20)
  expect(refused).toEqual([])
  small.change(1)
  expect(refused).toEqual(['large'])
  expect([small.bytes, large.bytes]).toEqual([21, 0])
})

test('a holder that exceeds the budget alone is refused itself', () => {
  const { refused, open } = openBudget()
  const [small, large] = [open('small'), open('large')]
  small.change(10)
  large.change(91)
  expect(refused).toEqual(['large'])
  expect([small.bytes, large.bytes]).toEqual([10, 0])
})

test('bytes that were let go are free for others', () => {
  const { refused, open } = openBudget()
  const [one, other] = [open('one'), open('other')]
  one.change(90)
  one.change(-90)
  one.change(-5)
  other.change(100)
  expect(refused).toEqual([])
  one.change(1)
  expect(refused).toEqual(['other'])
})

test('a tenant with many small holders is refused before another with one that is larger', () => {
  const { refused, open } = openBudget()
  const many = Array.from({ length: 4 }, (_, at) => open(`many ${at}`, 'many'))
  for (const [at, share] of many.entries()) share.change(18 + at)
  const large = open('large')
  large.change(25)
  expect(refused).toEqual(['many 3'])
  expect(large.bytes).toBe(25)
})

test('what a kept connection holds counts for the tenant that uses it', () => {
  const { refused, open } = openBudget()
  const [kept, small, large] = [open('kept', 'first'), open('small', 'second'), open('large', 'third')]
  kept.tenant = 'second'
  kept.change(30)
  small.change(25)
  large.change(50)
  expect(refused).toEqual(['kept'])
})
