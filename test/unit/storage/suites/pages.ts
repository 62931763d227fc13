import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byCodePoint } from '../../../../packet/cypher/identifiers.ts'
import { positionText } from '../../../../shared/storage/listing/position.ts'
import { type Storage, storageOn } from '../../../../shared/storage/storage.ts'
import type { ListOptions } from '../../../../shared/store/object-store.ts'
import {
  type ModelOrg,
  type ModelPacket,
  modelOrgs,
  namesOf,
  someText,
  storeOrg,
  storePacket,
} from '../../../support/storage/listing-model.ts'
import type { Compare } from '../../../support/storage/memory-store.ts'

const byUtf16: Compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const limits = fc.constantFrom(1, 2, 3, 5, 7, 100)

/** Org names: short, with a slash, and with a character that sorts just before the slash. */
const orgs = fc.constantFrom('a', 'a/b', 'a-')

async function pagesOf(
  { packets }: Storage,
  org: string,
  limit: number,
  betweenPages: () => Promise<void> = async () => {},
  { prefixes = [''], holding = [] }: { prefixes?: string[]; holding?: string[] } = {},
): Promise<string[]> {
  const pages: string[][] = []
  for (let after: string | undefined; ; await betweenPages()) {
    const { names, next } = await packets.page(org, prefixes, { limit, after, holding })
    expect(names).toEqual(names.toSorted(byCodePoint))
    pages.push(names)
    if (next === null) return pages.flat()
    expect(names.length).toBe(limit)
    after = next
  }
}

/** Registers the tests of generated orgs, with this many of each kind; of filters three times as many. */
export function testPages(numRuns: number): void {
  test('pages of any size list every name once, each page in order', async () => {
    await fc.assert(
      fc.asyncProperty(orgs, modelOrgs, limits, async (org, model, limit) => {
        const pages = await pagesOf(await storeOrg(org, model), org, limit)
        expect(pages.sort(byCodePoint)).toEqual(namesOf(model))
      }),
      { numRuns },
    )
  })

  test('pages also list every name once on a store that sorts keys by UTF-16 code unit', async () => {
    await fc.assert(
      fc.asyncProperty(modelOrgs, limits, async (model, limit) => {
        const pages = await pagesOf(await storeOrg('a', model, byUtf16), 'a', limit)
        expect(pages.sort(byCodePoint)).toEqual(namesOf(model))
      }),
      { numRuns },
    )
  })

  test('pages filtered by prefixes and substrings list every name that matches once, on any store', async () => {
    const asked = fc.record({
      limit: limits,
      prefixes: fc.oneof(fc.constant<string[]>(['']), fc.array(someText, { minLength: 1, maxLength: 4 })),
      holding: fc.array(someText, { maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(
        orgs,
        modelOrgs,
        asked,
        fc.constantFrom(byUtf16, byCodePoint),
        async (org, model, wanted, order) => {
          const { limit, prefixes, holding } = wanted
          const storage = await storeOrg(org, model, order)
          const pages = await pagesOf(storage, org, limit, undefined, { prefixes, holding })
          const expected = namesOf(model)
            .filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
            .filter((name) => holding.length === 0 || holding.some((text) => name.includes(text)))
          expect(pages.sort(byCodePoint)).toEqual(expected)
        },
      ),
      { numRuns: 3 * numRuns },
    )
  })

  test('a page starts after any position, whether its name exists or not', async () => {
    const position = fc.oneof(
      fc.record({ of: fc.constant('file' as const), name: someText }),
      fc.record({
        of: fc.constantFrom('base' as const, 'packet' as const),
        name: someText,
        names: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(modelOrgs, position, async (model, given) => {
        fc.pre(given.name.isWellFormed())
        const { packets } = await storeOrg('a', model)
        const { names, next } = await packets.page('a', [''], { limit: 1_000, after: positionText(given) })
        expect(next).toBeNull()
        expect(new Set(names).size).toBe(names.length)
        expect(namesOf(model)).toEqual(expect.arrayContaining(names))
      }),
      { numRuns },
    )
  })

  test('a name that exists throughout is listed once, despite changes between pages', async () => {
    const changes = fc.array(modelOrgs, { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(modelOrgs, changes, limits, async (model, changing, limit) => {
        const storage = await storeOrg('a', model)
        const held = new Set(model.packets.map(({ file }) => file))
        const change = async () => {
          for (const packet of changing.pop()?.packets ?? []) {
            if (!held.has(packet.file)) await storePacket(storage, 'a', packet)
            held.add(packet.file)
          }
        }
        const listed = await pagesOf(storage, 'a', limit, change)
        expect(new Set(listed).size).toBe(listed.length)
        const throughout = namesOf({ ...model, foreign: [] } satisfies ModelOrg)
        expect(listed).toEqual(expect.arrayContaining(throughout))
      }),
      { numRuns },
    )
  })

  test('a packet committed while a page is built is listed with all of its parts, or none', async () => {
    const changes = fc.array(modelOrgs, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(modelOrgs, changes, async ({ packets: standing }, changing) => {
        const storage = await storeOrg('a', { packets: standing, foreign: [] })
        const later = new Map<string, ModelPacket>()
        for (const packet of changing.flatMap(({ packets }) => packets)) {
          const committed = { ...packet, history: packet.history.slice(0, 1) }
          if (!standing.some(({ file }) => file === packet.file)) later.set(packet.file, committed)
        }
        const namesOfOne = (packet: ModelPacket) => namesOf({ packets: [packet], foreign: [] })
        const waiting = [...later.values()]
        /** Commits a packet, and writes the first of its plain files. */
        async function commit(packet: ModelPacket): Promise<void> {
          await storePacket(storage, 'a', { ...packet, isCopied: false })
          for (const copy of namesOfOne(packet).slice(0, 1)) await storage.store.put(`a/${copy}`, Buffer.from('part'))
        }
        async function* list(prefix: string, options?: ListOptions) {
          // Generations are listed first, so copies made after that look like foreign files.
          if (!prefix.includes('/.generations/')) await setImmediate()
          for (const packet of waiting.splice(0, 3)) await commit(packet)
          yield* storage.store.list(prefix, options)
        }
        const listed = await storageOn({ ...storage.store, list }).packets.list('a', [''])
        const expected = new Set(standing.flatMap(namesOfOne))
        for (const packet of later.values()) {
          const names = namesOfOne(packet)
          if (names.some((name) => listed.includes(name))) for (const name of names) expected.add(name)
        }
        expect(listed).toEqual([...expected].sort(byCodePoint))
      }),
      { numRuns },
    )
  })
}
