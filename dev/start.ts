import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadAirports } from './airports.ts'
import { createClient } from './client.ts'
import { openDriver } from './replay/neo4j.ts'
import { type Service, startService } from './service.ts'
import { openRun } from './stack/run.ts'
import { type Stack, startStack } from './stack/stack.ts'
import { buildConsole } from './tools/build-console.ts'

const say = (line: string) => console.log(line)
const local = join(import.meta.dirname, '../.local')
const stackFile = join(local, 'stack.json')

/** Addresses, credentials and pids for clients and tools; written to a file that exists while the stack is up. */
function describe({ redis, s3, neo4j }: Stack, service: Service) {
  const { pid: neo4jPid, ...database } = neo4j
  const { pid: s3Pid, ...store } = s3
  return {
    apiUrl: service.apiUrl,
    token: service.tokens.all,
    redisUrl: service.redisUrl,
    s3: { ...store, bucket: service.bucket },
    neo4j: database,
    pids: {
      api: [service.api.pid],
      worker: service.workers.map(({ pid }) => pid),
      redis: redis.pid,
      s3: s3Pid,
      neo4j: neo4jPid,
    },
  }
}

const credentialsOf = ({ neo4j }: Stack) =>
  `Basic ${Buffer.from(`${neo4j.username}:${neo4j.password}`).toString('base64')}`

/** Shell exports for the section "A client's first ten minutes" of the README. */
const variables = (stack: Stack, { apiUrl, tokens }: Service): string =>
  `export URL=${apiUrl} TOKEN=${tokens.all} ORIGIN=${stack.neo4j.boltUrl} CREDENTIALS='${credentialsOf(stack)}'`

/** A publish that works when pasted into a shell. */
function curl(stack: Stack, { apiUrl, tokens }: Service): string {
  const body = {
    dbUrl: stack.neo4j.boltUrl,
    credentials: credentialsOf(stack),
    mappedIndices: { DEFAULT_INDEX: 'Airport', DEFAULT_ID_FIELD: 'iata' },
    originIds: ['SEA', 'JFK'],
    metadata: true,
    relationships: ['FLIGHT>'],
    orgName: 'demo',
    fileName: 'two-airports.json',
  }
  const headers = `-H 'Authorization: Bearer ${tokens.all}' -H 'Content-Type: application/json'`
  return `curl -sS ${headers} -d '${JSON.stringify(body)}' ${apiUrl}/1.0/publish/`
}

async function start(workers: number): Promise<void> {
  await using stack = await startStack({}, { say })
  const logs = openRun(join(local, 'run'), say)
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'API_PORT')) as Record<
    string,
    string
  >
  await buildConsole()
  const service = await startService(stack, { directory: logs.directory, workers, env: { CONSOLE: 'on', ...env } })
  try {
    const driver = openDriver(stack.neo4j)
    const { ids, flights } = await loadAirports(driver)
    await driver.close()
    await createClient(service.apiUrl, service.tokens.all as string).post('/1.0/publish/demo')
    writeFileSync(stackFile, `${JSON.stringify(describe(stack, service), null, 2)}\n`, { mode: 0o600 })
    say(`api:     ${service.apiUrl}, with ${workers} workers`)
    say(`docs:    ${service.apiUrl}/docs`)
    say(`console: ${service.apiUrl}/console`)
    say(`token:   ${service.tokens.all}`)
    say(`origin:  ${stack.neo4j.boltUrl}: ${ids.length} airports, ${flights} flights`)
    say(`shell:   ${variables(stack, service)}`)
    say(`try:     ${curl(stack, service)}`)
    say('Ctrl-C stops everything')
    for (const program of [service.api, ...service.workers]) program.exited.then(() => say(`${program.name} ended`))
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    say('stopping')
    rmSync(stackFile, { force: true })
    await service.stop()
    await logs.stop()
  }
}

const { values } = parseArgs({ options: { workers: { type: 'string', default: '2' } } })
const workers = Number(values.workers)
if (!Number.isInteger(workers) || workers < 0 || workers > 64) {
  console.error('--workers must be a whole number from 0 to 64')
  process.exit(1)
}
await start(workers).catch((error) => {
  console.error((error as Error).message)
  process.exitCode = 1
})
