import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGenerations } from '../../shared/storage/generations.ts'
import { generationKey, partKey } from '../../shared/storage/keys.ts'
import type { Manifest } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { store, generations } = await openTestStorage()

const someName = () => `org-${randomUUID()}/packet`
const taken = () => new Error('taken')

function manifest(name: string, { jobId = randomUUID() as string, attempt = 1 } = {}): Manifest {
  const parts = [
    { key: partKey(name, jobId, `run-${attempt}`, 0, 1), bytes: 7, pairs: 1, etag: 'e', sha256: '', statements: {} },
  ]
  return { jobId, attempt, createdAt: '2024-02-29T12:00:00.000Z', parts }
}

const commit = (name: string, committed = manifest(name), force = false) =>
  createGenerations(store).commit(name, committed, { force, taken })

/** The packet as seen by a process with an empty cache. */
const found = async (name: string) => {
  const fresh = createGenerations(store)
  return { generations: await fresh.list(name), highest: await fresh.highest(name) }
}

describe('a commit', () => {
  test('a commit to a free name makes the first generation', async () => {
    const name = someName()
    expect(await found(name)).toEqual({ generations: [], highest: null })
    const first = manifest(name)
    expect(await commit(name, first)).toBe(1)
    expect(await found(name)).toEqual({ generations: [1], highest: { generation: 1, manifest: first } })
  })

  test('a commit to a taken name fails and changes nothing', async () => {
    const name = someName()
    const first = manifest(name)
    await commit(name, first)
    await expect(commit(name)).rejects.toThrow(taken())
    expect(await found(name)).toEqual({ generations: [1], highest: { generation: 1, manifest: first } })
  })

  test('a commit with force makes the next generation, and the highest is the packet', async () => {
    const name = someName()
    const third = manifest(name)
    const numbers = [await commit(name), await commit(name, manifest(name), true), await commit(name, third, true)]
    expect(numbers).toEqual([1, 2, 3])
    expect(await found(name)).toEqual({ generations: [1, 2, 3], highest: { generation: 3, manifest: third } })
  })

  test('a commit ignores generations of names that are a prefix or an extension of its own', async () => {
    const name = someName()
    for (const other of [`${name}s`, `${name}/deep`, `${name}.json`, `${name}Part`, name.slice(0, -1)]) {
      await commit(other)
      await commit(other, manifest(other), true)
    }
    expect(await commit(name)).toBe(1)
    expect((await found(name)).generations).toEqual([1])
  })

  test('a commit accepts a name with any characters', async () => {
    const name = `org-${randomUUID()}/a b+c=d (e) 'f' "ü😀"/g`
    expect([await commit(name), await commit(name, manifest(name), true)]).toEqual([1, 2])
    expect((await found(name)).generations).toEqual([1, 2])
  })
})

describe('a job that commits again', () => {
  test('a job that commits again gets the number of its first commit, and the first manifest stays', async () => {
    const name = someName()
    const first = manifest(name)
    const second = manifest(name, { jobId: first.jobId, attempt: 2 })
    const numbers = [await commit(name, first), await commit(name, second), await commit(name, second, true)]
    expect(numbers).toEqual([1, 1, 1])
    expect(await found(name)).toEqual({ generations: [1], highest: { generation: 1, manifest: first } })
  })

  test('a job that commits again is not blocked by the plain files of its own first commit', async () => {
    const name = someName()
    const first = manifest(name)
    await store.put(first.parts[0]?.key ?? '', Buffer.from('content'))
    await commit(name, first)
    await refreshPlainFiles(store, createGenerations(store), name)
    expect(await commit(name, manifest(name, { jobId: first.jobId, attempt: 2 }))).toBe(1)
  })

  test('a job that commits again changes nothing when its generation has been superseded', async () => {
    const name = someName()
    const late = manifest(name)
    const newer = manifest(name)
    await commit(name, late)
    await commit(name, newer, true)
    const again = manifest(name, { jobId: late.jobId, attempt: 2 })
    expect([await commit(name, again, true), await commit(name, again)]).toEqual([1, 1])
    expect(await found(name)).toEqual({ generations: [1, 2], highest: { generation: 2, manifest: newer } })
  })

  test('a job that commits again finds the generation it made, or null when it made none', async () => {
    const name = someName()
    const [first, second] = [manifest(name), manifest(name)]
    await commit(name, first)
    await commit(name, second, true)
    const made = await Promise.all([first.jobId, second.jobId, randomUUID()].map((id) => generations.ofJob(name, id)))
    expect(made).toEqual([1, 2, null])
    expect(await generations.ofJob(`${name}s`, first.jobId)).toBeNull()
  })
})

describe('foreign files', () => {
  test.each(['', 'Part1of1', 'Part2of3', 'Part12of12'])(
    'foreign files named like the packet with "%s" take its name',
    async (end) => {
      const name = someName()
      await store.put(`${name}${end}`, Buffer.from('foreign'))
      await expect(commit(name)).rejects.toThrow(taken())
      expect((await found(name)).generations).toEqual([])
    },
  )

  test('foreign files do not block a commit with force', async () => {
    const name = someName()
    await store.put(name, Buffer.from('foreign'))
    await store.put(`${name}Part1of2`, Buffer.from('foreign'))
    expect(await commit(name, manifest(name), true)).toBe(1)
  })

  test("foreign files whose names only start with the packet's do not take its name", async () => {
    const name = someName()
    const others = [
      `${name}s`,
      `${name}.json`,
      `${name}Part`,
      `${name}Part01of2`,
      `${name}Part1of2x`,
      `${name}part1of2`,
    ]
    await Promise.all(others.map((other) => store.put(other, Buffer.from('foreign'))))
    expect(await commit(name)).toBe(1)
  })
})

test("a commit past its deadline writes nothing: its job's earlier generation may have been swept", async () => {
  const name = someName()
  const late = generations.commit(name, manifest(name), { force: true, taken, until: Date.now() - 1 })
  await expect(late).rejects.toMatchObject({ code: 'jobInterrupted', retryable: true })
  expect(await found(name)).toEqual({ generations: [], highest: null })
})

test('a swept generation is read as null, and the others stay', async () => {
  const name = someName()
  const second = manifest(name)
  await commit(name)
  await commit(name, second, true)
  await store.remove(generationKey(name, 1))
  expect(await createGenerations(store).read(name, 1)).toBeNull()
  expect(await found(name)).toEqual({ generations: [2], highest: { generation: 2, manifest: second } })
})
