import type { AppError } from '../errors/app-error.ts'
import { inBatches } from '../store/batches.ts'
import { probes, type StoredObject } from '../store/object-store.ts'
import type { Generations } from './generations.ts'
import { hiddenBelow, markerKey, ownerOf, parseGenerationKey, parseMarkerKey, parsePartKey } from './keys.ts'
import { type ListedPacket, partsShownBy } from './listing/listed-packets.ts'
import { keysOf, type Manifest, unlessUnreadable } from './manifest.ts'
import { createReferences, type References } from './references.ts'
import type { Storage } from './storage.ts'

/** Minimum age of leftovers, and what must be kept regardless of age. */
export interface SweepRules {
  /** Current time by the clock of the store, or earlier; epoch milliseconds. */
  now: number
  /** How long superseded generations are kept: longer than any link to them is valid. */
  supersededMs: number
  /** How long unreferenced parts are kept: longer than a job may take. */
  orphanedMs: number
  /** Whether any run of this job may still commit. */
  isAlive(jobId: string): Promise<boolean>
  /** Brings a packet's views up to date; `listed`: as the sweep has just listed it. */
  refresh(name: string, listed?: Pick<ListedPacket, 'generation' | 'parts'>): Promise<void>
  /** Called once for each packet that is skipped. */
  unreadable(name: string, error: AppError): void
  signal: AbortSignal
}

/** How long after their expiry packets are removed: readers go by the store's time, which answers give in seconds. */
const expiredMs = 3_600_000

/** Number of removed objects. */
export interface Swept {
  /** Expired packets; later sweeps remove their objects. */
  expired: number
  generations: number
  parts: number
  requests: number
  probes: number
}

/**
 * Removes what readers can no longer see. docs/storage.md#sweeping lists the steps and what may happen between them.
 *
 * A generation of any kind (packet, removal or void) has two uses, and is removed when it has neither. Links use it:
 * they were signed while it was the packet, or later for its job's result, but end in time (`linkLifetime`). Late runs
 * use it: they must find that their job has a generation (docs/storage.md#i3), so it stays while the job is unfinished.
 * Afterwards no run sends a manifest (`until` of the commit is much shorter than `supersededMs`). The latest generation
 * of any kind always stays (docs/storage.md#i2).
 *
 * A worker may be slow, frozen or about to commit: age and `isAlive` protect the parts of a run that may still commit.
 * If neither protects a run, its job's record refuses it before it commits.
 *
 * A packet with an unreadable manifest is skipped. All its parts stay, because nobody knows which of them belong to
 * that generation, and so do its generations from that one on.
 *
 * Memory holds the keys of one packet's generations and the parts of one run; only a few requests run concurrently.
 */
export async function sweepStorage({ store, generations }: Storage, rules: SweepRules): Promise<Swept> {
  const swept: Swept = { expired: 0, generations: 0, parts: 0, requests: 0, probes: 0 }
  const isOld = ({ modifiedAt }: StoredObject) => rules.now - modifiedAt > rules.orphanedMs
  const isLongSuperseded = (by: StoredObject) => rules.now - by.modifiedAt > rules.supersededMs

  const skipped = new Set<string>()
  const unlessSkipped = (name: string, sweeping: Promise<void>) =>
    unlessUnreadable(sweeping, (error) => {
      if (!skipped.has(name)) rules.unreadable(name, error)
      skipped.add(name)
    })

  async function remove(kind: keyof Swept, key: string) {
    rules.signal.throwIfAborted()
    await store.remove(key)
    swept[kind]++
  }

  async function sweepPacket(name: string, stored: readonly StoredObject[]) {
    rules.signal.throwIfAborted()
    const markers = Map.groupBy(stored, ({ key }) => parseMarkerKey(key)?.manifestKey)
    const removeMarkers = (manifestKey: string) =>
      inBatches(markers.get(manifestKey) ?? [], ({ key }) => store.remove(key))
    const ascending = (markers.get(undefined) ?? []).toSorted((a, b) => numberOf(a) - numberOf(b))
    const present = new Set(ascending.map(({ key }) => key))
    const latest = ascending.at(-1)
    if (present.size > 1 || !isRemoval(markers.get(latest?.key))) {
      const listed = latest && { generation: numberOf(latest), parts: shownBy(markers.get(latest.key)) }
      await rules.refresh(name, listed)
    }
    for (const [index, object] of ascending.entries()) {
      const above = ascending.slice(index + 1)
      // Successors only get younger from here on, so nothing further is due.
      if (above[0] === undefined || !isLongSuperseded(above[0])) break
      const manifest = await generations.read(name, numberOf(object))
      if (manifest === null) continue
      const by = manifest.isVoid ? above[0] : await supersederOf(generations, name, above)
      if (by === null || !isLongSuperseded(by) || (await rules.isAlive(manifest.jobId))) continue
      await removeMarkers(object.key)
      await remove('generations', object.key)
      await inBatches(keysOf(manifest), (key) => remove('parts', key))
    }
    // Remove markers that were written late, after the removal of their generation.
    for (const [manifestKey, [marker]] of markers) {
      if (manifestKey !== undefined && marker && isOld(marker) && !present.has(manifestKey))
        await removeMarkers(manifestKey)
    }
    if (latest && mayHaveToGo(markers.get(latest.key))) await sweepLatest(name, latest, markers.get(latest.key))
  }

  /** The number of parts that readers see by these markers; null if they do not agree, or there is none. */
  function shownBy([only, another]: readonly StoredObject[] = []): number | null {
    const marker = only && !another ? parseMarkerKey(only.key) : null
    return marker && partsShownBy(marker, store.now())
  }

  const isLongExpired = (expiresAt?: string) => expiresAt !== undefined && rules.now - Date.parse(expiresAt) > expiredMs

  /** A marker may postpone a removal, so that a sweep need not read the manifest of every packet. */
  const mayHaveToGo = (markers: readonly StoredObject[] = []) =>
    markers.length !== 1 || markers.some(({ key }) => isLongExpired(parseMarkerKey(key)?.expiresAt))

  /** Only the manifest decides. Markers that say something else would mislead listings. */
  async function sweepLatest(name: string, latest: StoredObject, markers: readonly StoredObject[] = []) {
    const seen = await generations.seenAt(name, numberOf(latest))
    if (seen === 'gone') return
    const { parts = [], expiresAt } = seen?.manifest ?? {}
    const marker = markerKey(latest.key, parts.length, expiresAt)
    await inBatches(
      markers.filter(({ key }) => key !== marker),
      ({ key }) => store.remove(key),
    )
    if (isLongExpired(expiresAt)) await removeExpired(name, latest)
  }

  /** Records the removal of an expired packet. A generation committed in the meantime takes the number, and stays. */
  async function removeExpired(name: string, latest: StoredObject) {
    rules.signal.throwIfAborted()
    if (!(await generations.removeAt(name, numberOf(latest)))) return
    swept.expired++
    await rules.refresh(name)
  }

  async function sweepRun(objects: readonly StoredObject[], references: References) {
    rules.signal.throwIfAborted()
    const { jobId } = parsePartKey((objects[0] as StoredObject).key) as PartOwner
    if (!objects.every(isOld)) return
    // Order matters: a job that is no longer alive has committed already, or never will.
    if (await rules.isAlive(jobId)) return
    const referred = await references.of(jobId)
    await inBatches(
      objects.filter(({ key }) => !referred.has(key)),
      ({ key }) => remove('parts', key),
    )
  }

  async function sweepParts(prefix: string) {
    let references: References | null = null
    for await (const group of grouped(store.list(prefix), runOf)) {
      const { name } = parsePartKey((group[0] as StoredObject).key) as PartOwner
      if (references?.name !== name) references = createReferences(generations, name)
      await unlessSkipped(name, sweepRun(group, references))
    }
  }

  for await (const top of topDirectories(store)) {
    const { generations: manifests, parts, jobs } = hiddenBelow(top)
    for await (const group of grouped(store.list(manifests), packetOf)) {
      const name = packetOf((group[0] as StoredObject).key) as string
      await unlessSkipped(name, sweepPacket(name, group))
    }
    await sweepParts(parts)
    for await (const kept of store.list(jobs)) {
      if (isOld(kept) && !(await rules.isAlive(ownerOf(kept.key)))) await remove('requests', kept.key)
    }
  }
  for await (const probe of store.list(probes)) if (isOld(probe)) await remove('probes', probe.key)
  return swept
}

/**
 * Whether a generation with these markers says that there is no packet. If it is the only one left, sweeps have looked at
 * its views before. This saves time, because there may be many of these names.
 */
const isRemoval = (markers: readonly StoredObject[] = []): boolean =>
  markers.some(({ key }) => parseMarkerKey(key)?.parts === 0)

/** The packet that a manifest or a marker belongs to. */
const packetOf = (key: string): string | undefined => parseGenerationKey(parseMarkerKey(key)?.manifestKey ?? key)?.name

const numberOf = ({ key }: StoredObject): number => parseGenerationKey(key)?.generation as number

/** The first generation of `above`, in ascending order, that is not void: a void one supersedes nothing. */
async function supersederOf(
  generations: Generations,
  name: string,
  above: readonly StoredObject[],
): Promise<StoredObject | null> {
  for (const object of above) {
    const manifest: Manifest | null = await generations.read(name, numberOf(object))
    if (manifest && !manifest.isVoid) return object
  }
  return null
}

type PartOwner = NonNullable<ReturnType<typeof parsePartKey>>

const runOf = (key: string): string | undefined => {
  const owner = parsePartKey(key)
  return owner ? `${owner.name}\u0000${owner.jobId}\u0000${owner.run}` : undefined
}

/** Top-level directories of all names, such as `a/`. */
async function* topDirectories(store: Storage['store']): AsyncGenerator<string> {
  for await (const found of store.listLevel(''))
    if ('prefix' in found && !found.prefix.startsWith('.')) yield found.prefix
}

/** Groups adjacent objects for which `by` returns the same text, and drops those for which it returns none. */
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
