import { beforeAll, describe, expect, test } from 'vitest'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { all, directoryIn, oddNames } from './object-store.ts'

/** Contract for listings, common to all object stores. */
export function objectStoreListingContract(name: string, store: ObjectStore): void {
  beforeAll(() => store.prepare())
  const directoryOf = directoryIn(store)

  describe(`${name}: listing`, () => {
    test('a listing returns more than 1,000 objects once each, in key order, with their sizes', async () => {
      const names = Array.from({ length: 1_101 }, (_, index) => `${index} = ${oddNames[index % oddNames.length]}`)
      const directory = await directoryOf(names)
      const expected = names.map((each) => ({ key: directory + each, bytes: Buffer.byteLength(each) }))
      expected.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
      expect((await all(store.list(directory))).map(({ key, bytes }) => ({ key, bytes }))).toEqual(expected)
    })

    test('a listing returns the same objects for every page size, and can be abandoned after the first', async () => {
      const names = Array.from(
        { length: 23 },
        (_, index) => `${String(index).padStart(2, '0')} ${oddNames[index % 11]}`,
      )
      const directory = await directoryOf(names)
      for (const pageKeys of [1, 7, 23, 24]) {
        expect((await all(store.list(directory, { pageKeys }))).map(({ key }) => key)).toEqual(
          names.map((each) => directory + each),
        )
      }
      for await (const { key } of store.list(directory, { pageKeys: 2 })) {
        expect(key).toBe(`${directory}${names[0]}`)
        break
      }
    })

    test('a listing continues after the key that skipTo returns for a page, even if it has no object', async () => {
      const directory = await directoryOf(['a', 'b/.-1', 'b/.-2', 'b/.-3', 'b/.0', 'b/.9', 'b/a', 'c', 'd'])
      const listed = async (pageKeys: number) => {
        const pages: string[] = []
        const skipTo = (last: string) => {
          pages.push(last.slice(directory.length))
          return last.includes('/b/.') ? `${directory}b/.:` : null
        }
        const keys = (await all(store.list(directory, { pageKeys, skipTo }))).map(({ key }) =>
          key.slice(directory.length),
        )
        return { pages, keys }
      }
      expect(await listed(3)).toEqual({ pages: ['b/.-2'], keys: ['a', 'b/.-1', 'b/.-2', 'b/a', 'c', 'd'] })
      expect(await listed(2)).toEqual({ pages: ['b/.-1', 'c'], keys: ['a', 'b/.-1', 'b/a', 'c', 'd'] })
    })

    test('a listing starts after the given key, whether or not that object exists', async () => {
      const directory = await directoryOf(['a b', 'a/b', 'b', 'c/.-1', 'c/.-2', 'c-d', 'd'])
      const behind = async (key: string, prefix = '') =>
        (await all(store.list(directory + prefix, { startAfter: directory + key, pageKeys: 2 }))).map(
          ({ key: found }) => found.slice(directory.length),
        )
      expect(await behind('a/b')).toEqual(['b', 'c-d', 'c/.-1', 'c/.-2', 'd'])
      expect(await behind('a.\u{10ffff}')).toEqual(['a/b', 'b', 'c-d', 'c/.-1', 'c/.-2', 'd'])
      expect(await behind('c/.-1', 'c')).toEqual(['c/.-2'])
      expect(await behind('c.\u{10ffff}', 'c')).toEqual(['c/.-1', 'c/.-2'])
      expect(await behind('d')).toEqual([])
    })

    test('a listing is by code point or by UTF-16 unit, also where pages start', async () => {
      const names = ['a', 'ä', 'ｱ', '😀']
      const directory = await directoryOf(names)
      const listed = async (startAfter?: string) =>
        (await all(store.list(directory, startAfter ? { startAfter: directory + startAfter } : {}))).map(({ key }) =>
          key.slice(directory.length),
        )
      const sorted = await listed()
      expect([names, names.toSorted()]).toContainEqual(sorted)
      expect(await listed(sorted[2])).toEqual(sorted.slice(3))
    })

    test('a listing filters by a key prefix, which need not be a directory', async () => {
      const names = ['a', 'a b', 'a-b/c', 'ab/c', 'ab/d', 'b/a', 'ä']
      const directory = await directoryOf(names)
      const listed = async (prefix: string) =>
        (await all(store.list(directory + prefix))).map(({ key }) => key.slice(directory.length))
      expect(await listed('')).toEqual(names)
      expect(await listed('a')).toEqual(['a', 'a b', 'a-b/c', 'ab/c', 'ab/d'])
      expect(await listed('ab')).toEqual(['ab/c', 'ab/d'])
      expect(await listed('ab/d')).toEqual(['ab/d'])
      expect(await listed('A')).toEqual([])
      const has = (prefix: string) => store.hasAny(directory + prefix)
      expect(await Promise.all(['', 'ab/', 'ä', 'A', 'ab/c/'].map(has))).toEqual([true, true, true, false, false])
    })

    test('a listing of one level returns its objects, and each subdirectory once', async () => {
      const directory = await directoryOf(['a', 'dir x/1', 'dir x/2', 'dir x/deep/3', 'z', '.hidden/1', 'ü/1'])
      const level = async (prefix: string) =>
        (await all(store.listLevel(directory + prefix)))
          .map((found) => ('key' in found ? `${found.key}: ${found.bytes}` : found.prefix).slice(directory.length))
          .toSorted()
      expect(await level('')).toEqual(['.hidden/', 'a: 1', 'dir x/', 'z: 1', 'ü/'])
      expect(await level('dir x/')).toEqual(['dir x/1: 7', 'dir x/2: 7', 'dir x/deep/'])
      expect(await level('none/')).toEqual([])
    })

    test('a listing of one level starts after a key, whatever the size of its pages', async () => {
      const directory = await directoryOf(['a/1', 'a/2', 'b-/1', 'b/1', 'b/2', 'b/ｱ', 'b0/1', 'c', 'd/1'])
      for (const pageKeys of [1, 2, 3, 1_000]) {
        const level = async (after: string) =>
          (await all(store.listLevel(directory, { pageKeys, startAfter: directory + after })))
            .map((found) => ('key' in found ? found.key : found.prefix).slice(directory.length))
            .filter((found) => found !== 'b/')
            .toSorted()
        expect(await level('b/\u{10ffff}')).toEqual(['b0/', 'c', 'd/'])
        expect(await level('a/\u{10ffff}')).toEqual(['b-/', 'b0/', 'c', 'd/'])
      }
    })
  })
}
