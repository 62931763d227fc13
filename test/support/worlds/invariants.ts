import { expect } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { replayInOrder } from '../replay/replay-in-order.ts'
import { mustKeepSecrets } from './kept-secrets.ts'
import { mustBeSweptClean } from './leftovers.ts'
import { mustBeQuiet } from './queue-state.ts'
import { type Expected, type Version, wholeVersion } from './versions.ts'
import type { Published, World } from './world.ts'

/**
 * Invariants after any fault, once everything has finished: every acknowledged job reached one final state and stays
 * there; readers saw only whole packets; each succeeded job made one generation, and other jobs none; packets replay to
 * the origin's graphs; Redis holds no leftovers; a sweep keeps exactly what is referenced; no secret was stored or
 * logged.
 *
 * A Redis rolled back to an earlier moment has lost later updates. A job affected by that (see `Rollbacks`) may be
 * unknown or finish again, possibly in another state, since a cancellation or failure may be among the lost updates.
 * The store loses nothing: a job reported as succeeded remains succeeded if it is known, and made its one generation
 * either way. All packets stay readable and whole throughout, and no replaced packet returns: readers notice no
 * difference. A failover of Sentinels loses updates, too, but no accepted job.
 * @param forgotten jobs unknown to a Redis that lost its data.
 */
export async function mustHold(
  world: World,
  { forgotten = [] }: { forgotten?: readonly Published[] } = {},
): Promise<void> {
  const { published, reader } = world
  const ended = await Promise.all(published.map((job) => endsOf(world, job)))
  await mustBeQuiet(world)
  await reader.stop()
  if (reader.fileNames().length > 0) expect(reader.rounds()).toBeGreaterThan(0)
  for (const { job, told, end } of ended) {
    const now = await world.client.get(job.location)
    const isKnown = end !== null && !forgotten.includes(job)
    expect([job.id, now.status]).toEqual([job.id, isKnown ? 200 : 404])
    if (isKnown) expect(now.body).toEqual(end)
    const mayBeUnknown = forgotten.includes(job) || world.rollbacks.mayHaveForgotten(job)
    if (end === null) expect([job.id, mayBeUnknown]).toEqual([job.id, true])
    else if (told?.state === 'succeeded') expect([job.id, end.state]).toEqual([job.id, 'succeeded'])
  }
  const graphs = new Map<string, string[]>()
  for (const fileName of reader.fileNames()) {
    const made = await generationsMade(world, fileName)
    const known = ended.filter(({ job }) => job.fileName === fileName)
    for (const { job, told, end } of known) {
      const count = made.filter(({ jobId }) => jobId === job.id).length
      const state = end?.state ?? told?.state
      const hasMade = end?.state === 'succeeded' || told?.state === 'succeeded' ? 1 : 0
      if (end === null && hasMade === 0) expect(count).toBeLessThanOrEqual(1)
      else expect([job.id, state, count]).toEqual([job.id, state, hasMade])
    }
    const texts = await partsOf(world, fileName)
    if (texts.length === 0) expect(made).toEqual([])
    else {
      const marker = wholeVersion(texts, reader.expected(fileName))
      const latest = published.find(({ id }) => id === made.at(-1)?.jobId)
      const { version } = reader.expected(fileName).find(({ version }) => version.marker === marker) as Expected
      // A job that Redis forgot before its client knew of it may have run and may be the latest.
      if (latest || !world.rollbacks.hasHappenedSince(0)) expect(marker).toBe(latest?.version.marker)
      // Packets of one version with the same part sizes have identical text, so one replay suffices.
      if (graphs.get(marker)?.join() !== texts.join()) await mustReplay(world, version, texts)
      graphs.set(marker, texts)
    }
  }
  await mustKeepSecrets(world)
  await mustBeSweptClean(world)
}

/** The state reported to the client, and the final one; they are equal unless Redis was rolled back. */
async function endsOf(
  world: World,
  job: Published,
): Promise<{ job: Published; told: JobRecord | null; end: JobRecord | null }> {
  const told = await job.done
  return { job, told, end: world.rollbacks.touched(job) ? await world.endOf(job) : told }
}

async function generationsMade({ storage, org }: World, fileName: string) {
  const name = `${org}/${fileName}`
  const numbers = await storage.generations.list(name)
  const manifests = await Promise.all(numbers.map((number) => storage.generations.read(name, number)))
  return manifests.filter((manifest) => !manifest?.isVoid).map((manifest) => ({ jobId: manifest?.jobId }))
}

async function partsOf({ client, org }: World, fileName: string): Promise<string[]> {
  const { fileLocation, fileLocations } = (await client.get(`/1.0/publish/${org}/${fileName}/url`)).body
  const urls = fileLocations ?? (fileLocation === null ? [] : [fileLocation])
  const download = async (url: string) => {
    const response = await fetch(url)
    expect([url.split('?')[0], response.status]).toEqual([url.split('?')[0], 200])
    return response.text()
  }
  return Promise.all(urls.map(download))
}

async function mustReplay({ origin, target }: World, { label }: Version, texts: readonly string[]): Promise<void> {
  await replayInOrder(target, texts.flatMap(parsePart))
  expect(differences(await readGraph(origin, label), await readGraph(target, label))).toEqual([])
  await run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
}
