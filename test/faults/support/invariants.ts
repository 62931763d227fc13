import { expect } from 'vitest'
import { differences, readGraph } from '../../support/compare-graphs.ts'
import { run } from '../../support/neo4j.ts'
import { parsePart, replay } from '../../support/replay.ts'
import { mustKeepSecrets } from './kept-secrets.ts'
import { mustBeSweptClean } from './leftovers.ts'
import { mustBeQuiet } from './queue-state.ts'
import { type Version, wholeVersion } from './versions.ts'
import type { Published, World } from './world.ts'

/**
 * What must hold after any fault, when everything has come to its end: every acknowledged job reached one final state
 * and stays there, readers saw whole packets only, each succeeded job made one generation and no other job any, the
 * packets replay to the origin's graphs, nothing is left in Redis, a sweep leaves what is referred to and only that, and no
 * secret was written down anywhere.
 * @param forgotten jobs that a Redis without its data no longer knows.
 */
export async function mustHold(
  world: World,
  { forgotten = [] }: { forgotten?: readonly Published[] } = {},
): Promise<void> {
  const { published, reader } = world
  const ended = await Promise.all(published.map(async (job) => ({ job, end: await job.done })))
  await mustBeQuiet(world)
  await reader.stop()
  if (reader.fileNames().length > 0) expect(reader.rounds()).toBeGreaterThan(0)
  for (const { job, end } of ended) {
    const now = await world.client.get(job.location)
    const isKnown = end !== null && !forgotten.includes(job)
    expect(now.status).toBe(isKnown ? 200 : 404)
    if (isKnown) expect(now.body).toEqual(end)
  }
  const graphs = new Map<string, string[]>()
  for (const fileName of reader.fileNames()) {
    const made = await generationsMade(world, fileName)
    const known = ended.filter(({ job }) => job.fileName === fileName)
    for (const { job, end } of known) {
      const count = made.filter(({ jobId }) => jobId === job.id).length
      if (end === null) expect(count).toBeLessThanOrEqual(1)
      else expect([job.id, end.state, count]).toEqual([job.id, end.state, end.state === 'succeeded' ? 1 : 0])
    }
    const texts = await partsOf(world, fileName)
    if (texts.length === 0) expect(made).toEqual([])
    else {
      const marker = wholeVersion(texts, reader.expected(fileName))
      const latest = published.find(({ id }) => id === made.at(-1)?.jobId) as Published
      expect(marker).toBe(latest.version.marker)
      // Packets of one version that were cut alike are the same text: one replay is enough.
      if (graphs.get(marker)?.join() !== texts.join()) await mustReplay(world, latest.version, texts)
      graphs.set(marker, texts)
    }
  }
  await mustKeepSecrets(world)
  await mustBeSweptClean(world)
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
  return Promise.all(urls.map(async (url) => (await fetch(url)).text()))
}

async function mustReplay({ origin, target }: World, { label }: Version, texts: readonly string[]): Promise<void> {
  await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  await replay(target, texts.flatMap(parsePart))
  expect(differences(await readGraph(origin, label), await readGraph(target, label))).toEqual([])
  await run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
}
