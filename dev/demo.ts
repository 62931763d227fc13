import { join } from 'node:path'
import type { Driver } from 'neo4j-driver'
import { type PartSource, replay } from '../shared/replay/replay.ts'
import { loadAirports } from './airports.ts'
import { createClient } from './client.ts'
import { differences, readGraph } from './replay/compare-graphs.ts'
import { clear, openDriver } from './replay/neo4j.ts'
import { startService } from './service.ts'
import { openRun } from './stack/run.ts'
import { type Neo4jAddress, type Stack, startStack } from './stack/stack.ts'

const say = (line: string) => console.log(line)
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`
const idsPerRequest = 500

/** Publishes a real graph through the service, replays the packet into an empty database and compares the graphs. */
async function demo(stack: Stack, directory: string): Promise<boolean> {
  await using service = await startService(stack, { directory, workers: 2 })
  const target = stack.target as Neo4jAddress
  await using origin = openDriver(stack.neo4j)
  await using copy = openDriver(target)
  await clear(origin)
  await clear(copy)
  const { ids, flights } = await loadAirports(origin)
  say(`origin:    ${ids.length} airports and ${flights} flights between them`)

  const client = createClient(service.apiUrl, service.tokens.all as string)
  await client.post('/1.0/publish/demo')
  const started = performance.now()
  const submitted = await client.post('/1.0/publish/multi', requests(stack.neo4j, ids), { Prefer: 'respond-async' })
  const location = submitted.headers.get('Location')
  if (location === null) throw new Error(`refused: ${submitted.body.error}`)
  const job = await client.followJob(location)
  if (job.state !== 'succeeded') throw new Error(`the job ${job.state}: ${job.error?.message}`)
  const { pairs, parts: count, bytes } = job.progress
  const rate = Math.round(pairs / ((performance.now() - started) / 1_000))
  say(`published: ${pairs} pairs in ${count} parts, ${bytes} bytes, in ${seconds(started)} (${rate} pairs/s)`)

  const listed = await client.get('/1.0/publish/demo?filter=airports')
  const urls = (await client.get(`${location}/result`)).body.fileLocations ?? []
  say(`listed:    ${listed.body.fileNames?.join(', ')}`)
  const downloaded = await Promise.all(urls.map(async (url) => (await fetch(url)).text()))
  if (listed.body.fileNames?.length !== downloaded.length) throw new Error('listing and locations disagree')

  const parts = downloaded.map((text, index) => partOf(`airports.json, part ${index + 1}`, text))
  const { transactions, counters, seconds: replaySeconds } = await replayInto(target, parts)
  const replayRate = Math.round(pairs / replaySeconds)
  const into = `into an empty database in ${transactions} transactions, ${replaySeconds.toFixed(1)} s`
  say(`replayed:  ${pairs} pairs ${into} (${replayRate} pairs/s)`)
  const { nodesCreated, relationshipsCreated } = counters
  if (nodesCreated !== ids.length || relationshipsCreated !== flights) {
    throw new Error(`the replay made ${nodesCreated} nodes and ${relationshipsCreated} relationships`)
  }
  return await areEqual(origin, copy) // awaited here, before the drivers are disposed
}

const partOf = (name: string, text: string): PartSource => ({
  ...{ name, pairs: null, sha256: null },
  read: async () => Buffer.from(text),
})

const replayInto = ({ boltUrl, username, password }: Neo4jAddress, parts: readonly PartSource[]) =>
  replay(
    { name: 'airports.json', sha256: null, generation: null, requires: null, parts },
    { url: boltUrl, database: null, user: username, password },
    {
      ...{ lanes: 'auto', batchRows: 1_000, createConstraints: true, withoutConstraints: false, onError: 'stop' },
      ...{ allowOther: false, stateFile: null, restart: false, signal: new AbortController().signal },
    },
  )

const requests = (origin: Neo4jAddress, ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / idsPerRequest) }, (_, index) => ({
    dbUrl: origin.boltUrl,
    credentials: `Basic ${Buffer.from(`${origin.username}:${origin.password}`).toString('base64')}`,
    mappedIndices: { DEFAULT_INDEX: 'Airport', DEFAULT_ID_FIELD: 'iata' },
    originIds: ids.slice(index * idsPerRequest, (index + 1) * idsPerRequest),
    metadata: true,
    relationships: ['FLIGHT>'],
    orgName: 'demo',
    fileName: 'airports.json',
    parameterSyntax: 'dollar',
  }))

async function areEqual(origin: Driver, copy: Driver): Promise<boolean> {
  const [expected, actual] = [await readGraph(origin), await readGraph(copy)]
  const differing = differences(expected, actual)
  const size = `${actual.nodes.length} nodes and ${actual.relationships.length} relationships`
  if (differing.length === 0) say(`compared:  ${size}, every label, property and type: equal`)
  else say(`compared:  ${size}: ${differing.length} differ\n${differing.slice(0, 20).join('\n')}`)
  return differing.length === 0
}

const started = performance.now()
try {
  await using stack = await startStack({ target: true }, { say })
  say(`stack:     Redis, S3 server and two Neo4j up after ${seconds(started)}`)
  const logs = openRun(join(import.meta.dirname, '../.local/run'), say)
  const isEqual = await demo(stack, logs.directory).finally(() => logs.stop())
  process.exitCode = isEqual ? 0 : 1
} catch (error) {
  console.error(`the demo failed: ${(error as Error).message}`)
  process.exitCode = 1
}
say(`stopped:   after ${seconds(started)}`)
