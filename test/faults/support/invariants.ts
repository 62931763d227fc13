import { expect } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { parsePart, replay } from '../../../dev/replay/replay.ts'
import type { JobRecord } from '../../../shared/jobs/record.ts'
import { mustKeepSecrets } from './kept-secrets.ts'
import { mustBeSweptClean } from './leftovers.ts'
import { mustBeQuiet } from './queue-state.ts'
import { type Expected, type Version, wholeVersion } from './versions.ts'
import type { Published, World } from './world.ts'

/**
 * What must hold after any fault, when everything has come to its end: every acknowledged job reached one final state
 * and stays there, readers saw whole packets only, each succeeded job made one generation and no other job any, the
 * packets replay to the origin's graphs, nothing is left in Redis, a sweep leaves what is referred to and only that, and no
 * secret was written down anywhere.
 *
 * A Redis that went back to an earlier moment has forgotten what it learned since. Of a job that it touched (see
 * `Rollbacks`) no more can be asked than this: it is unknown, or it comes to an end once more, which may be another one, for
 * a cancellation or a failure may be among what was forgotten. But the store forgets nothing: a job that a client was told has succeeded
 * has succeeded still, if it is known, and made its one generation, known or not. The packets of all jobs stay readable and whole
 * meanwhile and afterwards, and none comes back that was replaced: readers see no difference.
 * @param forgotten jobs that a Redis without its data no longer knows.
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
    const mayBeUnknown = forgotten.includes(job) || world.rollbacks.touched(job)
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
      // A job that Redis forgot before its client knew of it may have run, and be the last.
      if (latest || !world.rollbacks.hasHappenedSince(0)) expect(marker).toBe(latest?.version.marker)
      // Packets of one version that were cut alike are the same text: one replay is enough.
      if (graphs.get(marker)?.join() !== texts.join()) await mustReplay(world, version, texts)
      graphs.set(marker, texts)
    }
  }
  await mustKeepSecrets(world)
  await mustBeSweptClean(world)
}

/** What a client was told, and how the job stands for good: the same where Redis forgot nothing of it. */
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
  await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  await replay(target, texts.flatMap(parsePart))
  expect(differences(await readGraph(origin, label), await readGraph(target, label))).toEqual([])
  await run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
}
