import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { ObjectStore, StoredObject } from '../../shared/store/object-store.ts'

/** Contract for the metadata of objects, on which plain files and sweeps depend. */
export function objectStoreEtagContract(name: string, store: ObjectStore): void {
  beforeAll(() => store.prepare())

  const put = (key: string, content: string) => store.put(key, Buffer.from(content))
  async function listed(key: string): Promise<StoredObject | undefined> {
    for await (const object of store.list(key)) return object
    return undefined
  }

  test(`${name}: equal content has an equal etag, and different content of the same length a different one`, async () => {
    const key = randomUUID()
    const [a, again, b] = [
      await put(`${key}/a`, 'content 1'),
      await put(`${key}/b`, 'content 1'),
      await put(`${key}/c`, 'content 2'),
    ]
    expect(a).not.toBe('')
    expect([again, (await listed(`${key}/a`))?.etag, (await listed(`${key}/b`))?.etag]).toEqual([a, a, a])
    expect([(await listed(`${key}/c`))?.etag === b, b === a]).toEqual([true, false])
    await store.copy(`${key}/c`, `${key}/a`)
    expect((await listed(`${key}/a`))?.etag).toBe(b)
  })

  test(`${name}: a listing has the modification time of each object`, async () => {
    const directory = `${randomUUID()}/`
    const before = Date.now()
    await put(`${directory}object`, 'first')
    const object = (await listed(directory)) as StoredObject
    // Stores have one-second resolution, and clocks may be skewed.
    expect(Math.abs(object.modifiedAt - before)).toBeLessThan(60_000)
    const level: unknown[] = []
    for await (const found of store.listLevel(directory)) level.push(found)
    expect(level).toEqual([object])
  })
}
