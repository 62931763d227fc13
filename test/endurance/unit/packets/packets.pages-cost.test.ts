import { beforeAll, describe, expect, test } from 'vitest'
import { positionText } from '../../../../shared/storage/listing/position.ts'
import type { Page } from '../../../../shared/storage/packets.ts'
import { storageOn } from '../../../../shared/storage/storage.ts'
import { fileNumbered as fileOf, storePackets } from '../../../support/storage/many-packets.ts'
import { openMemoryStore } from '../../../support/storage/memory-store.ts'
import { commitPacket } from '../../../support/storage/stored-packets.ts'

const store = openMemoryStore()
beforeAll(async () => {
  await storePackets(store, 'small', 1_000)
  await storePackets(store, 'large', 100_000)
  await storePackets(store, 'unmarked', 10_000, false)
  for (let number = 0; number < 10_000; number++) await store.put(`foreign/${fileOf(number)}`, Buffer.alloc(0))
})

const behind = (name: string) => positionText({ of: 'packet', name, names: null })

/** The names, the store requests and the duration of a page in a fresh process. */
async function cost(org: string, prefixes: string[], page: Partial<Page>) {
  store.forget()
  const started = performance.now()
  const { names } = await storageOn(store).packets.page(org, prefixes, { limit: 10_000, ...page })
  return { names, requests: store.requests.length, ms: performance.now() - started }
}

describe('with 100,000 files', () => {
  test('with 100,000 files, the first page costs the same as with 1,000', async () => {
    const times = { small: [] as number[], large: [] as number[] }
    // In turns, so that both see the same load.
    for (let round = 0; round < 20; round++) {
      for (const org of ['small', 'large'] as const) times[org].push((await cost(org, [''], { limit: 100 })).ms)
    }
    const [small, large] = [await cost('small', [''], { limit: 100 }), await cost('large', [''], { limit: 100 })]
    expect(large.names).toEqual(Array.from({ length: 100 }, (_, number) => fileOf(number)))
    expect([large.requests <= 20, large.requests]).toEqual([true, small.requests])
    expect(Math.min(...times.large)).toBeLessThan(5 * Math.min(...times.small))
  })

  test('with 100,000 files, a middle page and the last page cost little more', async () => {
    for (const number of [50_000, 99_950]) {
      const { names, requests } = await cost('large', [''], {
        limit: 100,
        after: behind(fileOf(number)),
        mayEndEarly: true,
      })
      expect([names[0], names.length]).toEqual([fileOf(number + 1), Math.min(100, 99_999 - number)])
      expect(requests).toBeLessThanOrEqual(30)
    }
  })

  test('with 100,000 files, a file of others behind their copies is found in pages that end early', async () => {
    await store.put('large/zzz', Buffer.alloc(0))
    const found: string[] = []
    let most = 0
    for (let after: string | null = behind(fileOf(99_999)), pages = 0; after !== null && pages < 100; pages++) {
      store.forget()
      const page = await storageOn(store).packets.page('large', [''], { limit: 100, after, mayEndEarly: true })
      most = Math.max(most, store.requests.length)
      found.push(...page.names)
      after = page.next
    }
    await store.remove('large/zzz')
    expect([found, most <= 30]).toEqual([['zzz'], true])
  })

  test('with 100,000 files, ten files with a prefix take at most ten requests', async () => {
    const { names, requests } = await cost('large', ['2026-11-22-file-05432'], {})
    expect([names.length, names[0]]).toEqual([10, fileOf(54_320)])
    expect(requests).toBeLessThanOrEqual(10)
  })

  test('with 100,000 files, 10,000 prefixes without a match take few requests in a small org', async () => {
    const none = Array.from({ length: 10_000 }, (_, number) => `${fileOf(number % 1_000)}-${number}Part`)
    const { names, requests } = await cost('small', none, {})
    expect(names).toEqual([])
    expect(requests).toBeLessThanOrEqual(20)
  })

  test('with 100,000 files, a substring search stops when the page is full', async () => {
    const found = await cost('large', [''], { holding: ['-file-00'], limit: 100 })
    expect(found.names.length).toBe(100)
    expect(found.requests).toBeLessThanOrEqual(20)
    const rare = await cost('large', [''], { holding: ['-099999.'] })
    expect(rare.names).toEqual([fileOf(99_999)])
    // A listing page holds 1,000 keys; a packet has two keys, and its plain file one.
    expect(rare.requests).toBeLessThan(201 + 101 + 100 * 8)
  })
})

describe('without markers', () => {
  const manifestsRead = () => store.requests.filter((request) => request.startsWith('get ')).length

  test('without markers, the manifests of a page are read, and one more to detect a next page', async () => {
    const { names, requests } = await cost('unmarked', [''], { limit: 100 })
    expect([names.length, manifestsRead()]).toEqual([100, 101])
    expect(requests).toBeLessThanOrEqual(120)
  })

  test('without markers, manifests of non-matching names are not read', async () => {
    expect((await cost('unmarked', [''], { holding: ['-00123'] })).names.length).toBe(10)
    expect(manifestsRead()).toBe(10)
    expect((await cost('unmarked', [''], { holding: ['-001234.jsonPart1'] })).names).toEqual([])
    expect(manifestsRead()).toBe(1)
  })
})

test.each([
  ['digits', (at: number) => String(at % 10)],
  ['dashes', () => '-'],
  ['letters before P', () => 'A'],
])('a page after 900 %s takes a bounded number of requests', async (_what, characterAt) => {
  const name = Array.from({ length: 900 }, (_, at) => (at % 190 === 189 ? '/' : characterAt(at))).join('')
  for (const org of ['small', 'foreign']) {
    const after = org === 'small' ? ({ of: 'packet', name, names: null } as const) : ({ of: 'file', name } as const)
    expect((await cost(org, [''], { limit: 1, after: positionText(after) })).requests).toBeLessThanOrEqual(30)
  }
})

test('a page that ends with a name of 800 dashes takes a bounded number of requests', async () => {
  const name = `f/${Array.from({ length: 4 }, () => `a${'-'.repeat(190)}`).join('/')}`
  await commitPacket({ ...storageOn(store), store }, `dashes/${name}`, ['1'])
  const { names, requests } = await cost('dashes', [''], { limit: 1 })
  expect(names).toEqual([name])
  expect(requests).toBeLessThanOrEqual(20)
})

test('foreign files take no request each', async () => {
  const { names, requests } = await cost('foreign', [''], { limit: 100 })
  expect(names).toEqual(Array.from({ length: 100 }, (_, number) => fileOf(number)))
  expect(requests).toBeLessThanOrEqual(20)
})
