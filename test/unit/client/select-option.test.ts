import { expect, test } from 'vitest'
import { parseSelect } from '../../../client/request/select-option.ts'

test.each([
  ['Airport', { label: 'Airport' }],
  [' Air port where country=US', { label: 'Air port', where: { country: 'US' } }],
  ['A where id=5 and name=x=y z', { label: 'A', where: { id: '5', name: 'x=y z' } }],
  ['A where c=["US","C and A"] and open=true', { label: 'A', where: { c: ['US', 'C and A'], open: true } }],
  ['A where c="true" and d="a and b=c" and e=1.5', { label: 'A', where: { c: 'true', d: 'a and b=c', e: '1.5' } }],
  ['* where tenant=t1', { label: '*', where: { tenant: 't1' } }],
])('%s', (text, element) => {
  expect(parseSelect(text)).toEqual(element)
})

test.each([
  ['', 'names no label'],
  ['A where b', 'must be key=value'],
  ['A where =b', 'must be key=value'],
  ['A where a=1 and a=2', 'is named twice'],
  ['A where a=[b]', 'is not valid JSON'],
])('%s is refused', (text, problem) => {
  expect(() => parseSelect(text)).toThrow(problem)
})
