import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { generationKey } from '../../shared/storage/keys.ts'
import { type Manifest, removal, voided } from '../../shared/storage/manifest.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

/** Commits of jobs that know which generation was the latest at their submission. */
const storage = await openTestStorage()
const { store, generations } = storage

const someName = () => `org-${randomUUID()}/packet`
const taken = () => new Error('taken')
const packet = (name: string, jobId: string = randomUUID()) => stagePacket(storage, name, ['1'], { jobId })
const overwrite = (name: string, manifest: Manifest) => generations.commit(name, manifest, { force: true, taken })

/** Commits as a job would that was submitted when `latest` was the latest generation. */
const commit = (name: string, manifest: Manifest, latest: number, { force = false, on = storage.reopen() } = {}) =>
  on.generations.commit(name, manifest, { force, taken, above: latest, latest })

const jobsOf = async (name: string) => {
  const fresh = storage.reopen().generations
  return Promise.all((await fresh.list(name)).map(async (number) => (await fresh.read(name, number))?.jobId))
}

/** The operations that a commit takes, in a process of its own. */
async function operationsOf(work: (on: Pick<typeof storage, 'generations'>) => Promise<unknown>): Promise<string[]> {
  const operations: string[] = []
  await work(storage.reopen((operation) => operations.push(operation)))
  return operations
}

test('a commit to a new name looks for files of others, and creates the generation, which is not read again', async () => {
  const name = someName()
  const manifest = await packet(name)
  const operations = await operationsOf(async (on) => {
    const { generations } = on
    expect(await generations.commit(name, manifest, { force: false, taken, above: 0, latest: 0 })).toBe(1)
    expect(await generations.read(name, 1)).toEqual(manifest)
  })
  expect(operations).toEqual(['list', 'put'])
  const forced = await operationsOf(async ({ generations }) =>
    generations.commit(name, await packet(name), { force: true, taken, above: 1, latest: 1 }),
  )
  expect(forced).toEqual(['put'])
})

describe('when the name was published since', () => {
  test('a commit to a name published since is refused without force, and gets the next number with force', async () => {
    const name = someName()
    const [first, second] = [await packet(name), await packet(name)]
    await overwrite(name, first)
    await expect(commit(name, await packet(name), 0)).rejects.toThrow(taken())
    expect(await commit(name, second, 0, { force: true })).toBe(2)
    expect(await jobsOf(name)).toEqual([first.jobId, second.jobId])
  })

  test('a commit without force succeeds if the name was published since and the packet was removed', async () => {
    const name = someName()
    await overwrite(name, await packet(name))
    await overwrite(name, removal())
    expect(await commit(name, await packet(name), 0)).toBe(3)
  })

  test('a commit without force succeeds if the name was published since by void generations only', async () => {
    const name = someName()
    await overwrite(name, voided(randomUUID()))
    await overwrite(name, voided(randomUUID()))
    expect(await commit(name, await packet(name), 0)).toBe(3)
  })

  test.each([false, true])(
    'a commit of a job that another of its runs has committed gets that generation (force: %s)',
    async (force) => {
      const name = someName()
      const [first, second, jobId] = [await packet(name), await packet(name), randomUUID()]
      await overwrite(name, first)
      await overwrite(name, await packet(name, jobId))
      await overwrite(name, second)
      expect(await commit(name, await packet(name, jobId), 0, { force })).toBe(2)
      expect(await jobsOf(name)).toEqual([first.jobId, jobId, second.jobId])
    },
  )

  test.each([0, 1])('a job that was voided above generation %i commits nothing', async (latest) => {
    const name = someName()
    const jobId = randomUUID()
    await overwrite(name, removal())
    await overwrite(name, voided(jobId))
    await expect(commit(name, await packet(name, jobId), latest)).rejects.toMatchObject({ code: 'jobVoided' })
    expect(await generations.list(name)).toEqual([1, 2])
  })
})

test('a packet that was there at the submission is not overwritten without force', async () => {
  const name = someName()
  await overwrite(name, await packet(name))
  await expect(commit(name, await packet(name), 1)).rejects.toThrow(taken())
})

describe('a packet that has expired', () => {
  const expired = (name: string) => stagePacket(storage, name, ['1'], { expiresAt: new Date().toISOString() })

  test('a packet that expired before the submission is followed by a commit without force', async () => {
    const name = someName()
    await overwrite(name, await expired(name))
    expect(await commit(name, await packet(name), 1)).toBe(2)
  })

  test('a packet published since the submission that has expired is followed by a commit without force', async () => {
    const name = someName()
    await overwrite(name, await expired(name))
    expect(await commit(name, await packet(name), 0)).toBe(2)
  })
})

test('a commit whose latest generation was removed from the store by others lists what is there', async () => {
  const [empty, held] = [someName(), someName()]
  await overwrite(held, await packet(held))
  expect(await commit(empty, await packet(empty), 3)).toBe(1)
  await expect(commit(held, await packet(held), 3)).rejects.toThrow(taken())
})

test.each(['', 'Part1of2'])('a file of others named like the packet with "%s" keeps the name', async (end) => {
  const name = someName()
  await store.put(`${name}${end}`, Buffer.from('of others'))
  await expect(commit(name, await packet(name), 0)).rejects.toThrow(taken())
  expect(await generations.list(name)).toEqual([])
})

test.each([false, true])('of ten concurrent jobs each has its own number, or is refused (force: %s)', async (force) => {
  const name = someName()
  const manifests = await Promise.all(Array.from({ length: 10 }, () => packet(name)))
  const outcomes = await Promise.allSettled(manifests.map((manifest) => commit(name, manifest, 0, { force })))
  const numbers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(force ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1])
  expect((await jobsOf(name)).length).toBe(numbers.length)
})

test.each([false, true])('ten concurrent runs of one job make one generation (force: %s)', async (force) => {
  const name = someName()
  const jobId = randomUUID()
  const manifests = await Promise.all(Array.from({ length: 10 }, () => packet(name, jobId)))
  const numbers = await Promise.all(manifests.map((manifest) => commit(name, manifest, 0, { force })))
  expect([...new Set(numbers)]).toEqual([1])
  expect(await jobsOf(name)).toEqual([jobId])
})

/** A store that loses the answers to creates, whether it carries them out or not. */
const losingAnswers = (isDone: boolean): ObjectStore => ({
  ...store,
  async create(key, bytes) {
    if (isDone) await store.create(key, bytes)
    return 'lost'
  },
})

test('a create without an answer is a commit if the generation is there, and fails as the store otherwise', async () => {
  const [done, undone] = [someName(), someName()]
  expect(await commit(done, await packet(done), 0, { on: storageOn(losingAnswers(true)) })).toBe(1)
  const lost = commit(undone, await packet(undone), 0, { on: storageOn(losingAnswers(false)) })
  await expect(lost).rejects.toMatchObject({ code: 'storeAway' })
  expect(await store.get(generationKey(undone, 1))).toBeNull()
})
