import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { removal } from '../../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../../shared/storage/plain-files.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openTestStorage } from '../../support/storage/storage.ts'
import { keysBelow, stagePacket, viewOf } from '../../support/storage/stored-packets.ts'
import { sweep as sweepAll } from '../../support/storage/sweeps.ts'

const taken = () => new Error('taken')

/** Reproducible pseudo-random numbers below 1. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

test.each([1, 2, 3])(
  'concurrent sweeps remove nothing that is needed, and a final one leaves nothing else (history %i)',
  async (seed) => {
    const { store } = await openTestStorage()
    const names = ['a/f', 'a/b/f', 'c/g']
    const random = numbersFrom(seed)
    const alive = new Set<string>()
    /** Without any minimum age: only `isAlive` protects an attempt. */
    const sweep = () =>
      sweepAll(storageOn(store), {
        isAlive: async (jobId) => alive.has(jobId),
        refresh: (name) => refreshPlainFiles(store, storageOn(store).generations, name),
      })

    /** One run of a job: dies with its parts staged, commits, or removes the packet. */
    async function work(): Promise<void> {
      const name = names[Math.floor(random() * names.length)] as string
      const fate = random()
      const contents = Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomUUID())
      const storage = storageOn(store)
      if (fate < 0.2) {
        await storage.generations.commit(name, removal(), { force: true, taken })
      } else {
        const jobId = randomUUID()
        alive.add(jobId)
        const manifest = await stagePacket(storage, name, contents, { jobId })
        if (fate > 0.4) await storage.generations.commit(name, manifest, { force: true, taken })
        alive.delete(jobId)
      }
      await refreshPlainFiles(store, storage.generations, name)
    }

    /** The parts of every packet stay readable during concurrent work. */
    async function readAll(): Promise<void> {
      for (const name of names) {
        const before = await storageOn(store).generations.current(name)
        const found = await Promise.all((before?.manifest.parts ?? []).map(({ key }) => store.get(key)))
        const after = await storageOn(store).generations.current(name)
        // A packet replaced during the read may be gone; with minimum ages that takes a week.
        if (before?.generation === after?.generation) expect(found).not.toContain(null)
      }
    }

    for (let round = 0; round < 6; round++) {
      await Promise.all([work(), work(), work(), work(), sweep(), readAll()])
    }
    await Promise.all(names.map((name) => refreshPlainFiles(store, storageOn(store).generations, name)))
    const before = await Promise.all(names.map((name) => storageOn(store).generations.highest(name)))
    await sweep()
    const storage = storageOn(store)
    const after = await Promise.all(names.map((name) => storage.generations.highest(name)))
    expect(after).toEqual(before)
    const generations = await Promise.all(names.map((name) => storage.generations.list(name)))
    expect(generations).toEqual(after.map((highest) => (highest ? [highest.generation] : [])))
    const referred = after.flatMap((highest) => highest?.manifest.parts.map(({ key }) => key) ?? [])
    const isPart = (key: string) => key.includes('/.parts/')
    expect((await keysBelow(storage, '')).filter(isPart)).toEqual(referred.toSorted())
    const contents = await Promise.all(referred.map(async (key) => String(await store.get(key))))
    const views = await Promise.all(['a', 'c'].map((org) => viewOf(storage, org)))
    expect(views.flatMap(Object.values).toSorted()).toEqual(contents.toSorted())
  },
)
