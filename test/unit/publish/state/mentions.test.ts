import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createKeyKinds } from '../../../../shared/publish/state/key-kinds.ts'
import { idsNamedBy } from '../../../../shared/publish/state/mentions.ts'
import { createSorter } from '../../../../shared/publish/state/sorter.ts'
import { storeLines } from '../../../../shared/publish/state/stored.ts'
import type { ObjectStore } from '../../../../shared/store/object-store.ts'

const node = { label: 'Person', idProperty: 'id' }
const lineOf = (id: string) => `["n","Person","id","${id}"]`
const unreadable = (problem: string) => new Error(problem)

/** A state with these lines in several pieces, and a store that counts what is read. */
async function stored(lines: Iterable<string>) {
  const objects = new Map<string, Buffer>()
  const read: string[] = []
  using sorter = createSorter()
  for (const line of lines) sorter.addLines(Buffer.from(`${line}\n`))
  const { facts, chunks } = storeLines(sorter, async (bytes) => {
    const key = String(objects.size)
    objects.set(key, bytes)
    return { key, bytes: bytes.length, sha256: hash('sha256', bytes) }
  })
  for await (const _ of chunks);
  const store = {
    async get(key: string) {
      read.push(key)
      return objects.get(key) ?? null
    },
  } as unknown as ObjectStore
  return { facts, store, read, objects }
}

test('every id is found in the piece that has it, and no other piece is read', async () => {
  const ids = Array.from({ length: 150_000 }, (_, index) => `${'p'.repeat(40)}${index}`)
  const { facts, store, read, objects } = await stored(ids.map(lineOf))
  expect(objects.size).toBeGreaterThan(2)
  const some = ids.filter((_, index) => index % 997 === 0)
  expect(await idsNamedBy(store, facts, [node], some, unreadable)).toEqual(new Set(some))
  expect(new Set(read).size).toBe(read.length)
  read.length = 0
  const one = ids.slice(7, 8)
  expect(await idsNamedBy(store, facts, [node], [...one, 'nobody'], unreadable)).toEqual(new Set(one))
  expect(read.length).toBeLessThanOrEqual(2)
})

test('integers and cleanups are found by their own keys, and payloads change nothing', async () => {
  const { facts, store } = await stored([
    '["n","Person","id",7]\t={"json":"7.0","wrap":null,"list":false}',
    '["c","Person","id","x","KNOWS","out"]',
    '["r","Person","id","y","KNOWS","Person","id","z"]',
    `["n","Person","uuid","u"]\ta${lineOf('v')}`,
  ])
  const kinds = [node, { ...node, type: 'KNOWS', direction: 'out' as const }, { ...node, idProperty: 'uuid' }]
  expect(await idsNamedBy(store, facts, kinds, ['7', 'x', 'y', 'u', 'v'], unreadable)).toEqual(new Set(['7', 'x', 'u']))
})

test('a piece that is gone is an error', async () => {
  const { facts, store, objects } = await stored([lineOf('a')])
  objects.clear()
  await expect(idsNamedBy(store, facts, [node], ['a'], unreadable)).rejects.toThrow('has been removed')
})

test('kinds are listed once each, and not at all if there are too many, or if a slice does not know them', () => {
  const kinds = createKeyKinds()
  kinds.addAll([node, node, { ...node, type: 'T', direction: 'in' }])
  expect(kinds.read()).toEqual([node, { ...node, type: 'T', direction: 'in' }])
  for (let index = 0; index < 2_000; index++) kinds.add({ ...node, label: `L${index}` })
  expect(kinds.read()).toBeNull()
  const others = createKeyKinds()
  others.addAll(null)
  expect(others.read()).toBeNull()
})
