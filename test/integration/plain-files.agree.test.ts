import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { removal, voided } from '../../shared/storage/manifest.ts'
import { othersFiles } from '../../shared/storage/objects-of-a-name.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, viewOf } from '../support/storage/stored-packets.ts'

const storage = await openTestStorage()
const { store, generations } = storage

const someOrg = () => `org-${randomUUID()}`
const put = (key: string, content: string) => store.put(key, Buffer.from(content))
const refresh = (name: string, on: ObjectStore = store) => refreshPlainFiles(on, storageOn(on).generations, name)
const remove = (name: string) => generations.commit(name, removal(), { force: true, taken: () => new Error('taken') })

/** A store that blocks every copy until released, and signals the first one. */
function storeWithSlowCopies() {
  const [came, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow: ObjectStore = {
    ...store,
    async copy(from, to) {
      came.resolve()
      await letGo.promise
      return store.copy(from, to)
    },
  }
  return { slow, came: came.promise, letGo: letGo.resolve }
}

describe('the plain files match the packet', () => {
  test('the plain files match the packet after one was changed, one deleted, two added; the others stay', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['1', '2', '3'])
    await refresh(`${org}/f`)
    await put(`${org}/fPart1of3`, 'x')
    await store.remove(`${org}/fPart2of3`)
    await put(`${org}/f`, 'surplus')
    await put(`${org}/fPart4of4`, 'surplus')
    const copied: string[] = []
    const counting: ObjectStore = {
      ...store,
      copy(from, to) {
        copied.push(to.slice(org.length + 1))
        return store.copy(from, to)
      },
    }
    await refresh(`${org}/f`, counting)
    expect(await viewOf(storage, org)).toEqual({ fPart1of3: '1', fPart2of3: '2', fPart3of3: '3' })
    expect(copied).toEqual(['fPart1of3', 'fPart2of3'])
  })

  test('no part of an earlier packet stays, also if the store keeps no file of the new one beside files below it', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['1', '2'])
    await refresh(`${org}/f`)
    await put(`${org}/f/below`, 'below')
    await commitPacket(storage, `${org}/f`, ['3'])
    const refreshed = await refresh(`${org}/f`).then(
      () => 'copied',
      ({ code }) => code,
    )
    expect(refreshed).toBe(store.keysBelowKeys() === 'refused' ? 'nameBlocked' : 'copied')
    expect(Object.keys(await viewOf(storage, org)).filter((name) => name.startsWith('fPart'))).toEqual([])
  })

  test('the plain files match the packet next to very many names that merely start with its own', async () => {
    const org = someOrg()
    const others = Array.from({ length: 1_050 }, (_, index) => `f-${index}`)
    const all = [...others, 'f', 'fPart1of2', 'fPartner']
    for (let done = 0; done < all.length; done += 50) {
      await Promise.all(all.slice(done, done + 50).map((name) => put(`${org}/${name}`, name)))
    }
    const found = (await othersFiles(store, generations, `${org}/f`)).map(({ key }) => key.slice(org.length + 1))
    expect(found).toEqual(['f', 'fPart1of2'])
  })

  test('the plain files match the packet when copies of an older generation arrive after newer copies', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['old 1', 'old 2'])
    const { slow, came, letGo } = storeWithSlowCopies()
    const late = refresh(`${org}/f`, slow)
    await came
    await commitPacket(storage, `${org}/f`, ['new 1', 'new 2'])
    await refresh(`${org}/f`)
    expect(await viewOf(storage, org)).toEqual({ fPart1of2: 'new 1', fPart2of2: 'new 2' })
    letGo()
    await late
    expect(await viewOf(storage, org)).toEqual({ fPart1of2: 'new 1', fPart2of2: 'new 2' })
  })

  test('the plain files match the packet when copies of a packet arrive after its removal', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['old'])
    const { slow, came, letGo } = storeWithSlowCopies()
    const late = refresh(`${org}/f`, slow)
    await came
    await remove(`${org}/f`)
    await refreshPlainFiles(store, generations, `${org}/f`)
    letGo()
    await late
    expect(await viewOf(storage, org)).toEqual({})
  })

  test('the plain files match the packet when a removal reaches them after a newer packet took the name', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['old'])
    await remove(`${org}/f`)
    await commitPacket(storage, `${org}/f`, ['new'])
    await refresh(`${org}/f`)
    await refreshPlainFiles(store, generations, `${org}/f`)
    expect(await viewOf(storage, org)).toEqual({ f: 'new' })
  })

  test('the plain files match the packet after ten concurrent commits and removals, each with a refresh', async () => {
    const org = someOrg()
    const work = Array.from({ length: 10 }, async (_, index) => {
      if (index % 3 === 2) {
        await remove(`${org}/f`)
        await refreshPlainFiles(store, generations, `${org}/f`)
      } else {
        await commitPacket(
          storage,
          `${org}/f`,
          Array.from({ length: 1 + (index % 4) }, (_, part) => `${index} ${part}`),
        )
        await refresh(`${org}/f`)
      }
    })
    await Promise.all(work)
    const { parts } = (await storageOn(store).generations.highest(`${org}/f`))?.manifest ?? { parts: [] }
    const contents = await Promise.all(parts.map(async ({ key }) => String(await store.get(key))))
    expect(Object.values(await viewOf(storage, org))).toEqual(contents)
  })
})

describe('after a removal', () => {
  test('after the removal of a packet, copies of any of its generations are removed', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['first'])
    await commitPacket(storage, `${org}/f`, ['second 1', 'second 2'])
    await remove(`${org}/f`)
    await put(`${org}/f`, 'first')
    await put(`${org}/fPart2of2`, 'second 2')
    expect(await othersFiles(store, generations, `${org}/f`)).toEqual([])
    await refresh(`${org}/f`)
    expect(await viewOf(storage, org)).toEqual({})
  })

  test('after the removal of a packet, what others put under its name is not theirs, and is removed', async () => {
    const org = someOrg()
    await commitPacket(storage, `${org}/f`, ['first'])
    await remove(`${org}/f`)
    await put(`${org}/f`, 'theirs')
    await put(`${org}/fPart1of2`, 'first')
    await put(`${org}/g`, 'theirs')
    expect(await othersFiles(store, generations, `${org}/f`)).toEqual([])
    expect(await storage.packets.list(org, [''])).toEqual(['g'])
    await refresh(`${org}/f`)
    expect(await viewOf(storage, org)).toEqual({ g: 'theirs' })
  })

  test('a name that only has void generations was never a packet: the file of others under it stays theirs', async () => {
    const org = someOrg()
    await put(`${org}/f`, 'theirs')
    await generations.commit(`${org}/f`, voided(randomUUID()), { force: true, taken: () => new Error('taken') })
    expect((await othersFiles(store, generations, `${org}/f`)).map(({ key }) => key)).toEqual([`${org}/f`])
    expect(await storage.packets.list(org, [''])).toEqual(['f'])
    await refresh(`${org}/f`)
    expect(await viewOf(storage, org)).toEqual({ f: 'theirs' })
  })

  test('after the removal of a packet, there is no packet, but the name’s history continues', async () => {
    const name = `${someOrg()}/f`
    await commitPacket(storage, name, ['first'])
    expect(await remove(name)).toBe(2)
    expect([await generations.current(name), (await generations.highest(name))?.generation]).toEqual([null, 2])
    expect(await commitPacket(storage, name, ['again'])).toBe(3)
    expect((await generations.current(name))?.generation).toBe(3)
  })
})
