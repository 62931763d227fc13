import { expect, test } from 'vitest'
import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { objectsBelow } from '../../../shared/storage/listing/objects-below.ts'
import { type Compare, openMemoryStore } from '../../support/storage/memory-store.ts'

const byUtf16: Compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const names = ['b', 'c1', 'c2', 'd', 'ｱ1', 'ｱ2', '😀1', '😀2', '\u{10ffff}']

async function keysBelow(order: Compare, prefixes: readonly string[], startAfter = '', pageKeys = 1) {
  const store = openMemoryStore(order)
  for (const name of names) await store.put(`a/${name}`, Buffer.alloc(0))
  const keys: string[] = []
  const below = prefixes.map((prefix) => `a/${prefix}`)
  for await (const { key } of objectsBelow(store, below, { pageKeys, startAfter })) keys.push(key.slice(2))
  return keys
}

test.each([
  ['code point', byCodePoint],
  ['UTF-16 unit', byUtf16],
])('objects below several prefixes are found on a store that orders keys by %s', async (_order, order) => {
  for (const pageKeys of [1, 2, 1_000]) {
    expect(await keysBelow(order, ['😀', 'ｱ', 'c'], '', pageKeys)).toEqual(
      ['c1', 'c2', 'ｱ1', 'ｱ2', '😀1', '😀2'].sort(),
    )
    expect((await keysBelow(order, [''], '', pageKeys)).sort()).toEqual(names.toSorted())
  }
})

test.each([
  ['code point', byCodePoint],
  ['UTF-16 unit', byUtf16],
])(
  'objects below several prefixes are found after any key on a store that orders keys by %s',
  async (_order, order) => {
    const prefixes = ['😀', 'ｱ', 'c']
    const all = await keysBelow(order, prefixes)
    for (const [index, name] of all.entries())
      expect(await keysBelow(order, prefixes, `a/${name}`)).toEqual(all.slice(index + 1))
    expect(await keysBelow(order, prefixes, 'a/c1\u0000')).toEqual(all.slice(1))
  },
)
