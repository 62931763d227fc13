import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Driver } from 'neo4j-driver'
import type { ReplayReport } from '../client/replay/replay.ts'
import type { VerifyReport } from '../client/replay/verify/verify.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { changeAirports, loadAirports } from './airports.ts'
import { claimRedis } from './claim-redis.ts'
import { createClient } from './client.ts'
import { mayWrite } from './may-write.ts'
import { optionsOf } from './options.ts'
import { differences, readGraph } from './replay/compare-graphs.ts'
import { clear, openDriver } from './replay/neo4j.ts'
import { fileOf, startService } from './service.ts'
import { openRun } from './stack/run.ts'
import { type Neo4jAddress, type Stack, startStack } from './stack/stack.ts'

const say = (line: string) => console.log(line)
const isNamed = optionsOf({ 'empty-databases': { type: 'boolean' } })['empty-databases'] === true
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`

/**
 * Publishes a real graph with the client, replays the packet into an empty database and compares the graphs. Then the
 * origin changes, and a delta follows.
 */
async function demo(stack: Stack, directory: string): Promise<boolean> {
  const target = stack.target as Neo4jAddress
  await using _redis = process.env.REDIS_URL ? await claimRedis(stack.redis.url) : null
  await using origin = openDriver(stack.neo4j)
  await using copy = openDriver(target)
  await requireWritable(origin, 'NEO4J')
  await requireWritable(copy, 'NEO4J_TARGET')
  await clear(origin)
  await clear(copy)
  await using service = await startService(stack, { directory, workers: 2, isBuilt: true })
  const { ids, flights } = await loadAirports(origin)
  say(`origin:    ${ids.length} airports and ${flights} flights between them`)

  await createClient(service.apiUrl, service.tokens.all as string).post('/1.0/publish/demo')
  const packets = clientIn(directory, {
    PACKETS_URL: service.apiUrl,
    PACKETS_TOKEN: service.tokens.all as string,
    PACKETS_ORIGIN_URL: stack.neo4j.boltUrl,
    PACKETS_ORIGIN_USER: stack.neo4j.username,
    PACKETS_ORIGIN_PASSWORD: stack.neo4j.password,
    PACKETS_TARGET_PASSWORD: target.password,
  })
  writeFileSync(join(directory, 'request.json'), JSON.stringify(request))
  writeFileSync(join(directory, 'ids.txt'), ids.join('\n'))
  const started = performance.now()
  const job = await packets<JobRecord>('publish', 'request.json', '--ids', 'ids.txt')
  const { pairs, parts, bytes } = job.progress
  const rate = Math.round(pairs / ((performance.now() - started) / 1_000))
  say(`published: ${pairs} pairs in ${parts} parts, ${bytes} bytes, in ${seconds(started)} (${rate} pairs/s)`)

  const { files } = await packets<{ files: string[] }>('ls', 'demo', 'airports')
  say(`listed:    ${files.join(', ')}`)
  const got = await packets<{ fetched: number; sha256: string }>('get', 'demo/airports.json')
  if (files.length !== got.fetched) throw new Error('listing and manifest disagree')
  say(`got:       ${got.fetched} parts, every digest right, sha256 ${got.sha256}`)

  const to = ['--to', target.boltUrl, '--user', target.username]
  const replayed = await packets<ReplayReport>('replay', 'airports', ...to, '--create-constraints')
  const into = `into an empty database in ${replayed.transactions} transactions, ${replayed.seconds.toFixed(1)} s`
  say(`replayed:  ${pairs} pairs ${into} (${Math.round(pairs / replayed.seconds)} pairs/s)`)
  const { nodesCreated, relationshipsCreated } = replayed.counters
  if (nodesCreated !== ids.length || relationshipsCreated !== flights) {
    throw new Error(`the replay made ${nodesCreated} nodes and ${relationshipsCreated} relationships`)
  }
  const verified = await packets<VerifyReport>('verify', 'airports', ...to)
  say(`verified:  each of ${pairs} pairs agrees with it (${Math.round(pairs / verified.seconds)} pairs/s)`)
  if (!(await areEqual(origin, copy))) return false

  say(`changed:   ${await changeAirports(origin)}`)
  writeFileSync(join(directory, 'changes.json'), JSON.stringify(changes))
  const { progress } = await packets<JobRecord>('publish', 'changes.json')
  await packets('get', 'demo/changes.json')
  await packets('replay', 'changes', ...to)
  say(`delta:     ${progress.pairs} pairs, ${progress.bytes} bytes, replayed`)
  return await areEqual(origin, copy) // awaited here, before the drivers are disposed
}

/** @throws if the demo must not empty this database */
async function requireWritable(driver: Driver, database: 'NEO4J' | 'NEO4J_TARGET'): Promise<void> {
  if (await mayWrite(driver, database, isNamed)) return
  throw new Error(
    `${database}_URL names a database that is not empty: name another, or empty both with \`npm run demo -- --empty-databases\``,
  )
}

/** Runs the client `packets` in a directory, with its progress on this terminal. @returns its result */
function clientIn(cwd: string, variables: Record<string, string>) {
  const program = join(import.meta.dirname, '..', fileOf('client', true))
  const env = { PATH: process.env.PATH, ...variables }
  return async <Result>(...words: string[]): Promise<Result> => {
    const child = spawn(process.execPath, [program, ...words, '--json'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [result, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    if (code !== 0) throw new Error(`packets ${words[0]} ended with exit code ${code}`)
    return JSON.parse(result)
  }
}

const request = {
  mappedIndices: { DEFAULT_INDEX: 'Airport', DEFAULT_ID_FIELD: 'iata' },
  metadata: true,
  relationships: ['FLIGHT>'],
  orgName: 'demo',
  fileName: 'airports.json',
  parameterSyntax: 'dollar',
  asBase: true,
}

/** Only what has changed since, deletions included. */
const changes = {
  ...request,
  fileName: 'changes.json',
  select: [{ label: 'Airport' }],
  base: 'airports.json',
  deleteMissing: true,
}

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
  await using stack = await startStack({ target: true }, { say, isShortLived: true })
  say(`stack:     Redis, S3 server and two Neo4j up after ${seconds(started)}`)
  const logs = openRun(join(import.meta.dirname, '../.local/run'), say)
  const isEqual = await demo(stack, logs.directory).finally(() => logs.stop())
  process.exitCode = isEqual ? 0 : 1
} catch (error) {
  console.error(`the demo failed: ${(error as Error).message}`)
  process.exitCode = 1
}
say(`stopped:   after ${seconds(started)}`)
