import { expect, test } from 'vitest'
import { createBudget } from '../../../api/http/body/budget.ts'

const codeOf = (take: () => unknown): string | null => {
  try {
    take()
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('one client gets at most half of the budget, and all clients together get all of it', () => {
  const budget = createBudget(10, 'things')
  const first = budget('ann', 3)
  expect(codeOf(() => budget('ann', 3))).toBe('tooManyAtOnce')
  budget('bob', 5)
  expect(codeOf(() => budget('cid', 3))).toBe('processBusy')
  budget('cid', 2)
  first()
  first()
  expect(codeOf(() => budget('dan', 4))).toBe('processBusy')
  budget('dan', 3)
})

test('a request larger than a share, or than the whole budget, is admitted on its own', () => {
  const budget = createBudget(10, 'things')
  const all = budget('ann', 8)
  expect(codeOf(() => budget('ann', 1))).toBe('tooManyAtOnce')
  expect(codeOf(() => budget('bob', 11))).toBe('processBusy')
  all()
  budget('bob', 11)()
  budget('bob', 10)
})

test('a share of one admits a client once at a time', () => {
  const budget = createBudget(10, 'things', 1)
  const first = budget('ann', 1)
  expect(codeOf(() => budget('ann', 1))).toBe('tooManyAtOnce')
  budget('bob', 1)
  first()
  budget('ann', 1)
})

test('a reservation grows within the share and the budget, and gives back all of it at once', () => {
  const budget = createBudget(10, 'things')
  const [ann, bob] = [budget('ann', 0), budget('bob', 0)]
  ann.add(4)
  const second = budget('ann', 0)
  expect(codeOf(() => second.add(2))).toBe('tooManyAtOnce')
  second.add(1)
  bob.add(5)
  expect(codeOf(() => bob.add(1))).toBe('processBusy')
  ann.add(-2)
  bob.add(1)
  bob()
  bob.add(5)
  budget('cid', 7)
})
