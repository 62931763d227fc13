import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import neo4j from 'neo4j-driver'
import { startService } from '../../dev/service.ts'
import { openRun } from '../../dev/stack/run.ts'
import { startStack } from '../../dev/stack/stack.ts'
import type { ModelRecord } from '../../shared/models/records.ts'
import { managerVersion, property } from '../../shared/models/resources.ts'
import { byGrn } from '../../shared/models/selector.ts'
import { createPartStatement, findStatement, type ModelStatement } from '../../shared/models/statements.ts'

/**
 * Measures the overhead of the service over its database: reads and creates properties over HTTP and, alternately, runs
 * the same queries with a bare driver, sequentially. `node test/bench/manager.ts --calls 2000`
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '2000' } } })
const calls = Number(values.calls)
const warmUp = 500
const local = join(import.meta.dirname, '../../.local')

await using stack = await startStack({}, { usesGiven: false })
const logs = openRun(join(local, 'run'), console.error)
const service = await startService(stack, { directory: logs.directory, workers: 0 })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const driver = neo4j.driver(stack.neo4j.boltUrl, neo4j.auth.basic(stack.neo4j.username, stack.neo4j.password), {
  disableLosslessIntegers: true,
  fetchSize: -1,
  telemetryDisabled: true,
})

async function fetched(method: string, url: string, body?: object) {
  const headers = { Authorization: `Bearer ${service.tokens.all}`, 'Content-Type': 'application/json' }
  const sent = request(url, { method, agent, headers })
  sent.end(body && JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
}

async function overHttp(method: string, path: string, body?: object): Promise<Record<string, ModelRecord>> {
  const { status, text } = await fetched(method, `${service.apiUrl}/1.0/manager/${path}`, body)
  if (status !== 200) throw new Error(`${method} ${path}: ${text}`)
  return JSON.parse(text)
}

async function bare({ query, parameters }: ModelStatement): Promise<void> {
  const session = driver.session()
  const { records } = await session.run(query, parameters)
  if (records.length !== 1) throw new Error(`${records.length} rows`)
  await session.close()
}

const { manager } = await overHttp('POST', 'grn:gg:org:bench', { name: 'bench' })
const versions = (await overHttp('GET', `versions/${manager?.grn}`)).managerVersions as unknown as ModelRecord[]
const version = byGrn(managerVersion, versions[0]?.grn as string)
const made = await overHttp('POST', `property/${version.value}`, { key: 'read' })
const read = byGrn(property, made.property?.grn as string)

const work: Record<string, { http(index: number): Promise<unknown>; driver(index: number): Promise<unknown> }> = {
  read: {
    http: () => overHttp('GET', `property/${read.value}`),
    driver: () => bare(findStatement(read)),
  },
  create: {
    http: (index) => overHttp('POST', `property/${version.value}`, { key: `http${index}`, dataType: 'String' }),
    driver: (index) =>
      bare(createPartStatement(property, version, { key: `driver${index}`, dataType: 'String' }, 'bench')),
  },
}

async function timed(does: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await does()
  return performance.now() - started
}

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] as number

const table = []
const idle = []
for (let index = 0; index < warmUp + calls; index++) {
  const took = await timed(async () => (await fetched('GET', `${service.apiUrl}/livez`)).text)
  if (index >= warmUp) idle.push(took)
}
console.log(`HTTP alone, without a database: median ${at(idle, 0.5).toFixed(2)} ms`)
for (const [name, ways] of Object.entries(work)) {
  const times = { http: [] as number[], driver: [] as number[] }
  for (let index = 0; index < warmUp + calls; index++) {
    for (const way of ['http', 'driver'] as const) {
      const took = await timed(() => ways[way](index))
      if (index >= warmUp) times[way].push(took)
    }
  }
  // On a busy machine the 10th percentile is the most meaningful: the least affected by other load.
  for (const [told, share] of [
    ['10th percentile', 0.1],
    ['median', 0.5],
    ['99th percentile', 0.99],
  ] as const) {
    const [http, driver] = [at(times.http, share), at(times.driver, share)]
    const [inMs, bareInMs, ratio] = [http, driver, http / driver].map((value) => value.toFixed(2))
    console.log(`${name}, ${told}: ${inMs} ms over HTTP, ${bareInMs} ms with the driver, ratio ${ratio}`)
    table.push({ name, told, http, driver })
  }
}
mkdirSync(join(local, 'bench'), { recursive: true })
writeFileSync(join(local, 'bench/manager.json'), JSON.stringify({ calls, table }, null, 2))
agent.destroy()
await driver.close()
await service.stop()
await logs.stop()
