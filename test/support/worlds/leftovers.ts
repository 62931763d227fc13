import { expect } from 'vitest'
import { partNames } from '../../../packet/names.ts'
import {
  isHidden,
  orgKey,
  packetName,
  parseGenerationKey,
  parseMarkerKey,
  parsePartKey,
} from '../../../shared/storage/keys.ts'
import { refreshPlainFiles } from '../../../shared/storage/plain-files.ts'
import type { SweepRules } from '../../../shared/storage/sweep.ts'
import type { StoredObject } from '../../../shared/store/object-store.ts'
import { isFinished } from '../../../wire/job-states.ts'
import { sweep } from '../storage/sweeps.ts'
import type { World } from './world.ts'

/** Later than any object, even by clocks with a resolution of seconds. */
const soonMs = 5_000

/** Sweeps without grace periods, so that only job records protect work in progress. */
export function sweepNow({ storage, records }: Pick<World, 'storage' | 'records'>, rules: Partial<SweepRules> = {}) {
  return sweep(storage, {
    now: Date.now() + soonMs,
    async isAlive(jobId) {
      const job = await records.read(jobId)
      return job !== null && !isFinished(job)
    },
    refresh: (name) => refreshPlainFiles(storage.store, storage.generations, name),
    ...rules,
  })
}

/** After a sweep the bucket holds only the packets that were current, with their parts, states and plain files, and what other orgs have. */
export async function mustBeSweptClean(world: World): Promise<void> {
  const { storage, org, otherOrgs, reader } = world
  const wanted = new Map<string, number>([[orgKey(org), 2]])
  for (const fileName of reader.fileNames()) {
    const name = packetName(org, fileName)
    const current = await storage.generations.current(name)
    for (const [index, plain] of partNames(name, current?.manifest.parts.length ?? 0).entries()) {
      const part = current?.manifest.parts[index]
      wanted.set(plain, part?.bytes ?? 0).set(part?.key ?? '', part?.bytes ?? 0)
    }
    const { digests = [], lines = [] } = current?.manifest.state ?? {}
    for (const { key, bytes } of [...digests, ...lines]) wanted.set(key, bytes)
  }
  await sweepNow(world)
  const left: StoredObject[] = []
  const manifests = new Set<string>()
  for await (const object of storage.store.list('')) {
    if (otherOrgs.has(object.key.split('/')[0] as string)) continue
    const { manifestKey = '' } = parseMarkerKey(object.key) ?? {}
    if (parseGenerationKey(object.key) !== null) manifests.add(object.key)
    else if (!manifests.has(manifestKey)) left.push(object)
  }
  const found = left.map(({ key, bytes }) => `${bytes} ${kindOf(key)} ${key}`)
  expect(found.sort()).toEqual([...wanted].map(([key, bytes]) => `${bytes} ${kindOf(key)} ${key}`).sort())
}

const kindOf = (key: string) => (parsePartKey(key) ? 'part' : isHidden(key) ? 'hidden' : 'plain')
