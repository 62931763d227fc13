import type { Generations, Manifest } from './generations.ts'
import { generationKey, hiddenBelow, ownerOf, parseGenerationKey, parsePartKey, probes } from './keys.ts'
import type { StoredObject } from './object-store.ts'
import type { Storage } from './storage.ts'

/** How old leftovers must be, and what must be left alone whatever its age. */
export interface SweepRules {
  /** By the clocks that wrote the objects, epoch milliseconds. */
  now: number
  /** Superseded generations are kept for the longest lifetime of a download URL. */
  supersededMs: number
  /** Parts that nothing refers to are kept for longer than a job may take. */
  orphanedMs: number
  /** May any run of this job still commit? */
  isAlive(jobId: string): Promise<boolean>
  /** Brings a packet's plain files up to date. */
  repairView(name: string): Promise<void>
  signal: AbortSignal
}

/** What was removed. */
export interface Swept {
  generations: number
  parts: number
  requests: number
  probes: number
}

/**
 * Removes what no reader can see any more: superseded generations, each manifest before its parts; parts that no
 * generation refers to; what finished jobs kept, such as their requests. The highest generation always stays. Contract 6.
 *
 * A worker may be slow, frozen, or about to commit: the parts of a run that may still commit are left alone by their age
 * and by `isAlive`, and one that is neither young nor alive finds its record taken before it commits. Which run of an
 * unfinished job is the latest does not matter: Redis, which counts them, may have been rolled back.
 */
export async function sweepStorage({ store, generations }: Storage, rules: SweepRules): Promise<Swept> {
  const swept: Swept = { generations: 0, parts: 0, requests: 0, probes: 0 }
  const isOld = ({ modifiedAt }: StoredObject) => rules.now - modifiedAt > rules.orphanedMs

  async function remove(kind: keyof Swept, key: string) {
    rules.signal.throwIfAborted()
    await store.remove(key)
    swept[kind]++
  }

  /** The generation that readers took up next: a void one supersedes nothing. */
  async function nextOf(name: string, numbers: readonly number[]): Promise<Manifest | null> {
    for (const number of numbers) {
      const manifest = await generations.read(name, number)
      if (manifest && !manifest.isVoid) return manifest
    }
    return null
  }

  async function sweepPacket(name: string, numbers: readonly number[]) {
    for (const [index, number] of numbers.slice(0, -1).entries()) {
      const newer = await nextOf(name, numbers.slice(index + 1))
      if (newer === null || rules.now - Date.parse(newer.createdAt) <= rules.supersededMs) continue
      const superseded = await generations.read(name, number)
      await remove('generations', generationKey(name, number))
      for (const { key } of superseded?.parts ?? []) await remove('parts', key)
    }
    await rules.repairView(name)
  }

  async function sweepRun(objects: readonly StoredObject[]) {
    const { name, jobId } = parsePartKey((objects[0] as StoredObject).key) as PartOwner
    if (!objects.every(isOld)) return
    // In this order: one that is no longer alive has committed by now, or never will.
    if (await rules.isAlive(jobId)) return
    const referred = await referredTo(generations, name, jobId)
    for (const { key } of objects) if (!referred.has(key)) await remove('parts', key)
  }

  for await (const top of tops(store)) {
    const { generations: manifests, parts, jobs } = hiddenBelow(top)
    for await (const group of grouped(store.list(manifests), (key) => parseGenerationKey(key)?.name)) {
      const numbers = group.map(({ key }) => parseGenerationKey(key)?.generation as number)
      await sweepPacket(parseGenerationKey((group[0] as StoredObject).key)?.name as string, numbers)
    }
    for await (const group of grouped(store.list(parts), runOf)) await sweepRun(group)
    for await (const kept of store.list(jobs)) {
      if (isOld(kept) && !(await rules.isAlive(ownerOf(kept.key)))) await remove('requests', kept.key)
    }
  }
  for await (const probe of store.list(probes)) if (isOld(probe)) await remove('probes', probe.key)
  return swept
}

type PartOwner = NonNullable<ReturnType<typeof parsePartKey>>

const runOf = (key: string): string | undefined => {
  const owner = parsePartKey(key)
  return owner ? `${owner.name}\u0000${owner.jobId}\u0000${owner.run}` : undefined
}

/** The parts of a job's generation: of one run, or of one of each of its slices. */
async function referredTo(generations: Generations, name: string, jobId: string): Promise<ReadonlySet<string>> {
  for (const number of await generations.list(name)) {
    const manifest = await generations.read(name, number)
    if (manifest?.jobId === jobId) return new Set(manifest.parts.map(({ key }) => key))
  }
  return new Set()
}

/** The first directories of all names, `a/`. */
async function* tops(store: Storage['store']): AsyncGenerator<string> {
  for await (const found of store.listLevel(''))
    if ('prefix' in found && !found.prefix.startsWith('.')) yield found.prefix
}

/** Neighbours with the same text together; what has none is left out. Memory is one group. */
async function* grouped(
  objects: AsyncIterable<StoredObject>,
  by: (key: string) => string | undefined,
): AsyncGenerator<StoredObject[]> {
  let group: StoredObject[] = []
  let current: string | undefined
  for await (const object of objects) {
    const text = by(object.key)
    if (text === undefined) continue
    if (text !== current && group.length > 0) {
      yield group
      group = []
    }
    current = text
    group.push(object)
  }
  if (group.length > 0) yield group
}
