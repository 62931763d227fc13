import { expect, test } from 'vitest'
import { firstPairs } from '../../../client/target/first-pairs.ts'

const pairs = [
  '{"statement":"MERGE (n {a: \\"}{\\"})","parameters":{"id":"x","list":[{"a":[]}]}}',
  '{"statement":"two"}',
]
const whole = `{"transactionRequest":{"statements":[${pairs.join(',')}]},"error":null,"more":[{"a":1}]}`

test('the first pairs of a packet are found, whole, wherever its text was cut off', () => {
  expect([firstPairs(whole, 10), firstPairs(whole, 1), firstPairs('{"error":null}', 10)]).toEqual([
    pairs,
    [pairs[0]],
    [],
  ])
  for (let length = 0; length <= whole.length; length++) {
    const found = firstPairs(whole.slice(0, length), 10)
    expect(found).toEqual(pairs.slice(0, found.length))
  }
})
