import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { KeyedHash, subkey } from '../../../shared/origin/keyed-hash.ts'
import { maskKeyOf } from '../../../shared/request/mask/mask-key.ts'

const key = randomBytes(32)
const hmac = (tag: string, value: string) => createHmac('sha256', key).update(`${tag}${value}`).digest('hex')

test.each(['', 'a', 'gr\u00fc\u00dfe', 'x'.repeat(55), 'x'.repeat(64), 'x'.repeat(10_000)])(
  'a hash is HMAC-SHA-256 of the value after a letter for its kind: %j',
  (value) => {
    const hash = new KeyedHash(key)
    expect(hash.ofText(Buffer.from(value))).toBe(hmac('s', value))
    expect(hash.ofOther(value)).toBe(hmac('v', value))
  },
)

test('keys of other purposes differ, also if their texts join to the same one', () => {
  const keys = [subkey(key, 'a', 'b'), subkey(key, 'ab'), subkey(key, 'a', 'b', ''), subkey(key, 'b', 'a')]
  expect(new Set(keys.map((one) => one.toString('hex'))).size).toBe(4)
})

test('the directories of an org share its key, and no other org does', () => {
  const of = (orgName: string) => maskKeyOf({ id: 'k', key }, orgName).key.toString('hex')
  expect([of('acme/a'), of('acme/b/c')]).toEqual([of('acme'), of('acme')])
  expect(of('acme2')).not.toBe(of('acme'))
})
