import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { startImported } from '../../../dev/stack/native/neo4j.ts'
import { openRun } from '../../../dev/stack/run.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { type Alphabet, alphabetOf } from '../../replay/generator/alphabet.ts'
import { type Case, cases } from '../../replay/generator/cases.ts'
import { type Graph, graphText } from '../../replay/generator/graph.ts'
import { buildHere } from '../../replay/run/build-here.ts'
import { createOrigin, readGraphOf, replayedByEngine, wipeOrigin } from '../../replay/run/databases.ts'
import { openWorld } from '../../replay/run/open-world.ts'
import { drawMatrix } from '../../replay/type-matrix.ts'
import { runCli } from '../../support/clients/cli.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { sourceOf, verified } from '../../support/replay/replaying.ts'

const world = await openWorld('Import', 2_250_000n)
const own = openRun(join(import.meta.dirname, '../../../.local/run'), console.error)
const home = mkdtempSync(join(tmpdir(), 'imports-'))
afterAll(async () => {
  await own.stop()
  rmSync(home, { recursive: true })
})

let written = 0

/** Writes parts into a directory, and converts them for a release. */
async function converted(release: string, parts: readonly (readonly Pair[])[]) {
  const packet = join(home, `packet-${++written}`)
  const files = `${packet}-files`
  mkdirSync(packet)
  for (const [at, statements] of parts.entries())
    writeFileSync(join(packet, `p.jsonPart${at + 1}of${parts.length}`), stringifyLossless({ statements }))
  const words = ['convert', packet, files, '--to', 'import-csv', '--importer', release, '--progress', 'none']
  return { files, ...(await runCli(words)) }
}

/** The names of properties that a refusal lists. */
const refusedIn = (stderr: string): string[] =>
  [...stderr.matchAll(/^ {2}(?:\(?:.*?\.)(\w+): /gm)].map(([, name]) => name as string)

const emptyGraph: Graph = { nodes: [], relationships: [] }

/** What each release cannot take, of the properties of the type matrix. */
const uncarried = {
  5: ['empty', 'time4', 'time5', 'times', 'datetime2', 'datetime5', 'datetime7', 'datetimes'],
  2026: ['empty', 'globe1', 'globes', 'two_globes'],
}

/** A graph that a request selects, as pairs and as a replay makes it. */
interface Expected {
  names: Alphabet
  pairs: Pair[]
  graph: Graph
}

/** Whether no property of the origin is one that some importer cannot take. */
const isCarried = ({ origin: { nodes, relationships } }: Case): boolean =>
  [...nodes, ...relationships]
    .flatMap(({ properties }) => Object.values(properties))
    .every((value) => {
      if (Array.isArray(value)) return value.length > 0
      const { timeZoneOffsetSeconds = 0n } = value as { timeZoneOffsetSeconds?: bigint }
      return BigInt(timeZoneOffsetSeconds) % 60n === 0n
    })

/** Generated graphs under names of their own, of requests that the service accepts. */
async function generated(wanted: number): Promise<Expected[]> {
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`generated graphs for the importers: seed ${seed}`)
  const found: Expected[] = []
  for (let at = 0; at < 8 * wanted && found.length < wanted; at++) {
    const names = alphabetOf(`Import${at}`, 2_250_000n + 1_000n * BigInt(at))
    const [given] = fc.sample(cases(names, fc.constant(null)).filter(isCarried), { seed: seed + at, numRuns: 1 })
    if (given === undefined) continue
    try {
      await createOrigin(world.from, given.origin, names)
      const sizes = given.sizes ?? { probe: 3, group: 3, chunk: 3 }
      const built = await buildHere(given, { ...world, names }, sizes).catch(() => null)
      if (built === null || built.parts.flat().length === 0) continue
      const pairs = built.parts.flat()
      const { code, stderr } = await converted('5', built.parts)
      // Requests may disagree about what they share, and only these.
      expect([code, code === 4 && given.requests.length > 1 ? '' : stderr]).toEqual([code === 4 ? 4 : 0, ''])
      if (code === 4) continue
      const { graph } = await replayedByEngine(world.to, emptyGraph, pairs, names, { lanes: 1, batchRows: 1_000 })
      if (graph.nodes.length > 0) found.push({ names, pairs, graph })
    } finally {
      await wipeOrigin(world.from, names)
    }
  }
  expect(found.length).toBe(wanted)
  return found
}

/** Every type at its edges, without what the release cannot take. @returns the label, and the pairs */
async function matrixFor(release: '5' | '2026') {
  const label = uniqueName('Imported')
  const ids = await drawMatrix(world.from, label, 5)
  const publish = async () =>
    answeredPairs(
      await world.client.post('/1.0/publish/', {
        ...database(world.origin, label, 'id'),
        originIds: ids,
        metadata: true,
        relationships: ['T'],
        returnOnly: true,
        parameterSyntax: 'dollar',
      }),
    )
  const refused = await converted(release, [await publish()])
  expect(refused.code).toBe(4)
  expect([...new Set(refusedIn(refused.stderr))].sort()).toEqual(uncarried[release].toSorted())
  const removals = uncarried[release].map((key) => `x.${key}`).join(', ')
  await run(world.from, `MATCH (a:${label}) OPTIONAL MATCH (a)-[r:T]->() UNWIND [a, r] AS x WITH x REMOVE ${removals}`)
  return { label, pairs: await publish() }
}

let graphs: Expected[] | undefined

const releases = [
  { release: '5', version: '5.26.30' },
  { release: '2026', version: '2026.09.0' },
] as const

// The short form takes the release that the other tests have fetched.
describe.each(inject('isLong') ? releases : releases.slice(0, 1))(
  'the importer of Neo4j $release',
  ({ release, version }) => {
    test('makes the graph that a replay makes, of every type and of generated graphs', async (context) => {
      graphs ??= await generated(inject('isLong') ? 100 : 1)
      const { label, pairs } = await matrixFor(release)
      const parts = [pairs, ...graphs.map((one) => one.pairs)]
      const { files, code, stderr } = await converted(release, parts)
      expect([code, stderr.replace(/^warning: the instant of \d+ .*\n$/, '')]).toEqual([0, ''])
      const fill = (environment: Record<string, string>) =>
        promisify(execFile)('sh', [join(files, 'import.sh')], { env: { ...process.env, ...environment } })
      const address = await startImported(own, version, fill)
      if (address === undefined) return context.skip()
      await using imported = openDriver(address)

      await replayInOrder(world.to, pairs)
      const [expected, actual] = [await readGraph(world.to, label), await readGraph(imported, label)]
      expect(expected.nodes.length).toBeGreaterThan(20)
      expect(differences(expected, actual)).toEqual([])
      for (const { names, graph } of graphs)
        expect(graphText(await readGraphOf(imported, names))).toEqual(graphText(graph))
      // The database evaluates the values, so that this compares instants and offsets, too.
      const report = await verified(sourceOf(...parts), address as Neo4jAddress)
      expect(report.first).toEqual([])
      expect(report.differing).toBe(0)
    }, 480_000)
  },
)
