import { randomBytes, randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { parse } from 'content-disposition'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ObjectStore } from '../../shared/store/object-store.ts'

/** Opens a store of the implementation under test; omitted settings have valid, fixed defaults. */
type OpenStore = (settings?: { bucket?: string; secretKey?: string }) => ObjectStore

// Names that stores and clients are known to mangle. A name that is also a directory (`f` beside `f/g`) is omitted:
// S3 allows it, but the test server stores objects as files.
export const oddNames = [
  ...['with space', 'plus+plus', 'per%cent', 'per%20cent', 'naïve-ü', '😀', `q'uo"tes`, '(parentheses)'],
  ...['key=value&more', 'what?#where', 'semi;colon'],
]

export async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of found) items.push(item)
  return items
}

/** Creates directories with random names; each of `names` becomes an object whose content is its name. */
export const directoryIn =
  (store: ObjectStore) =>
  async (names: readonly string[]): Promise<string> => {
    const directory = `${randomUUID()}/`
    for (let done = 0; done < names.length; done += 50) {
      await Promise.all(names.slice(done, done + 50).map((each) => store.put(directory + each, Buffer.from(each))))
    }
    return directory
  }

/** Contract common to all object stores; listings are in `object-store-listing.ts`. */
export function objectStoreContract(name: string, open: OpenStore): void {
  const store = open()
  beforeAll(() => store.prepare())

  const put = (key: string, content: string) => store.put(key, Buffer.from(content))
  const create = (key: string, content: string) => store.create(key, Buffer.from(content))
  const get = async (key: string) => (await store.get(key))?.toString() ?? null
  const streamed = async (key: string) => buffer((await store.stream(key)) as Readable)

  const directoryOf = directoryIn(store)

  describe(`${name}: objects`, () => {
    test('objects are read back as written, empty ones included, until overwritten', async () => {
      const key = randomUUID()
      for (const content of ['first', 'second ü', '']) {
        await put(key, content)
        expect([await get(key), String(await streamed(key))]).toEqual([content, content])
      }
    })

    test('objects that do not exist read as null, also if their key is a prefix of an existing one', async () => {
      const key = await directoryOf(['object'])
      for (const missing of ['objec', 'objects', 'Object', 'none/object']) {
        expect([await store.get(key + missing), await store.stream(key + missing)]).toEqual([null, null])
      }
    })

    test('objects can be read by byte range', async () => {
      const key = randomUUID()
      await put(key, 'first second')
      const some = async (from: number, bytes: number) => (await store.get(key, { from, bytes }))?.toString() ?? null
      expect([await some(0, 5), await some(6, 6), await some(11, 1)]).toEqual(['first', 'second', 'd'])
      expect(await store.get(`${key}none`, { from: 0, bytes: 1 })).toBeNull()
    })

    test('objects of 30 MiB are read back byte for byte', async () => {
      const key = randomUUID()
      const large = randomBytes(30 * 1024 * 1024)
      await store.put(key, large)
      expect((await store.get(key))?.equals(large)).toBe(true)
      expect((await streamed(key)).equals(large)).toBe(true)
    })

    test('objects are created only once: a second create leaves the content unchanged', async () => {
      const key = randomUUID()
      expect([await create(key, 'a'), await create(key, 'b'), await get(key)]).toEqual(['created', 'exists', 'a'])
    })

    test('objects are created by exactly one of twenty concurrent creates', async () => {
      const key = randomUUID()
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, racer) => create(key, `racer ${racer}`)))
      expect(outcomes.toSorted()).toEqual(['created', ...Array(19).fill('exists')])
      expect(await get(key)).toBe(`racer ${outcomes.indexOf('created')}`)
    })

    test('objects are removed idempotently, and can then be created again', async () => {
      const key = randomUUID()
      await put(key, 'first')
      await store.remove(key)
      await store.remove(key)
      expect([await get(key), await create(key, 'second'), await get(key)]).toEqual([null, 'created', 'second'])
    })

    test('objects are copied with their content type, and overwrite the destination', async () => {
      const directory = await directoryOf(['from', 'to'])
      expect(await store.copy(`${directory}from`, `${directory}to`)).toBe(true)
      const response = await fetch(await store.sign(`${directory}to`, 60, 'to'))
      expect([response.headers.get('Content-Type'), await response.text()]).toEqual(['application/json', 'from'])
    })

    test('objects that do not exist are not copied, and no destination is created', async () => {
      const key = randomUUID()
      expect([await store.copy(`${key}none`, key), await get(key)]).toEqual([false, null])
    })

    test.each(oddNames)('objects may be named %s', async (odd) => {
      const [from, to] = [await directoryOf([odd]), await directoryOf([])]
      expect(await create(from + odd, 'late')).toBe('exists')
      expect(await store.copy(from + odd, to + odd)).toBe(true)
      expect([await get(to + odd), String(await streamed(to + odd))]).toEqual([odd, odd])
      expect(await all(store.list(to + odd))).toMatchObject([{ key: to + odd, bytes: Buffer.byteLength(odd) }])
      expect(await (await fetch(await store.sign(to + odd, 60, odd))).text()).toBe(odd)
      await store.remove(to + odd)
      expect([await get(from + odd), await get(to + odd)]).toEqual([odd, null])
    })
  })

  describe(`${name}: signed URLs`, () => {
    const fileNames = ['plain.json', 'b/c/last segment.json', 'naïve "ü" 😀.json']
    test.each(fileNames)('signed URLs download %s without credentials, named by its last segment', async (fileName) => {
      const directory = await directoryOf(['object'])
      const response = await fetch(await store.sign(`${directory}object`, 60, fileName))
      expect([response.status, await response.text()]).toEqual([200, 'object'])
      const { type, parameters } = parse(response.headers.get('Content-Disposition') ?? '')
      expect([type, parameters.filename]).toEqual(['attachment', fileName.split('/').at(-1)])
    })

    test('signed URLs give access to that object only, and only by GET', async () => {
      const directory = await directoryOf(['mine', 'other'])
      const url = await store.sign(`${directory}mine`, 60, 'mine')
      const statusOf = async (it: string, method: string) => (await fetch(it, { method })).status
      const otherUrls = [
        url.replace('/mine?', '/other?'),
        url.replace('Expires=60', 'Expires=600'),
        url.replace(/\?.*/, ''),
      ]
      expect(await Promise.all(otherUrls.map((other) => statusOf(other, 'GET')))).toEqual([403, 403, 403])
      const otherMethods = await Promise.all(['PUT', 'POST', 'DELETE'].map((method) => statusOf(url, method)))
      expect(Math.min(...otherMethods)).toBeGreaterThanOrEqual(400)
      expect([await get(`${directory}mine`), await get(`${directory}other`)]).toEqual(['mine', 'other'])
    })

    test('signed URLs expire', async () => {
      const key = `${await directoryOf(['object'])}object`
      const [short, long] = [await store.sign(key, 1, 'object'), await store.sign(key, 600, 'object')]
      await expect.poll(async () => (await fetch(short)).status, { timeout: 30_000, interval: 200 }).toBe(403)
      expect((await fetch(long)).status).toBe(200)
    })
  })

  describe(`${name}: the bucket`, () => {
    test('the bucket can be prepared concurrently and repeatedly', async () => {
      const bucket = `contract-${randomUUID()}`
      await Promise.all([open({ bucket }).prepare(), open({ bucket }).prepare()])
      await open({ bucket }).prepare()
      expect(await all(open({ bucket }).list(''))).toEqual([])
    })

    test('the bucket is unavailable with a wrong secret key, for every operation', async () => {
      const refused = open({ secretKey: 'wrong' })
      const answers = await Promise.allSettled([
        ...[refused.put('key', Buffer.from('x')), refused.get('key'), refused.stream('key'), refused.remove('key')],
        ...[refused.copy('key', 'copy'), refused.hasAny('key'), all(refused.list('key')), refused.ping()],
      ])
      expect(answers).toMatchObject(Array(answers.length).fill({ reason: { status: 503, code: 'storeAway' } }))
    })

    test('the bucket cannot be prepared with a wrong secret key', async () => {
      await expect(open({ secretKey: 'wrong' }).prepare()).rejects.toMatchObject({ status: 503, code: 'storeAway' })
    })
  })
}
