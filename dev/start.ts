import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAuthorities } from '../shared/config/authorities.ts'
import { trustAuthorities } from '../shared/lifecycle/trust.ts'
import { loadAirports } from './airports.ts'
import { createClient } from './client.ts'
import { exampleOfSample, findExample } from './example.ts'
import { hasNoNodes, mayWrite } from './may-write.ts'
import { optionsOf } from './options.ts'
import { openDriver } from './replay/neo4j.ts'
import { startService } from './service.ts'
import { openRun } from './stack/run.ts'
import { type Neo4jAddress, startStack } from './stack/stack.ts'
import { assignments, clientVariables, curl, curlVariables, describe } from './start-output.ts'
import { type Settings, settingsFor, settingsGiven } from './start-settings.ts'

const say = (line: string) => console.log(line)
const local = join(import.meta.dirname, '../.local')
const stackFile = join(local, 'stack.json')
// The settings of this service, for `npm run api` and `npm run worker`.
const settingsFile = join(local, 'stack.env')

interface Wanted {
  workers: number
  /** Writes the sample and the models, whatever is in the origin. */
  loadsSample: boolean
  /** Starts a second database, to replay into. */
  target: boolean
}

async function start({ workers, loadsSample, target }: Wanted, given: Settings): Promise<void> {
  if (given.CA_FILE) trustAuthorities(readAuthorities(given.CA_FILE))
  await using stack = await startStack({ target }, { say })
  const logs = openRun(join(local, 'run'), say)
  await using origin = openDriver(stack.neo4j)
  const isWritable = await mayWrite(origin, 'NEO4J', loadsSample)
  const env = settingsFor(given, stack.neo4j, isWritable)
  const service = await startService(stack, {
    directory: logs.directory,
    workers,
    bucket: given.S3_BUCKET,
    env,
    isBuilt: true,
  })
  try {
    const sample = isWritable ? await loadAirports(origin) : null
    const example = sample ? exampleOfSample : await findExample(origin)
    await createClient(service.apiUrl, service.tokens.all as string).post('/1.0/publish/demo')
    const stackOnly = { mode: 0o600 }
    writeFileSync(stackFile, `${JSON.stringify(describe(stack, service), null, 2)}\n`, stackOnly)
    writeFileSync(settingsFile, `${assignments(service.env, '\n')}\n`, stackOnly)
    const { boltUrl } = stack.neo4j
    say(`api:     ${service.apiUrl}, with ${workers} workers`)
    say(`docs:    ${service.apiUrl}/docs`)
    say(`console: ${service.apiUrl}/console`)
    say(`token:   ${service.tokens.all}`)
    if (sample) say(`origin:  ${boltUrl}: ${sample.ids.length} airports, ${sample.flights} flights`)
    else
      say(`origin:  ${boltUrl}: not empty, so nothing was written to it; --load-sample adds the sample and the models`)
    if (!sample && !given.MANAGER_DB_URL) say('models:  none; MANAGER_DB_URL names a database for them')
    if (stack.target) say(`target:  ${stack.target.boltUrl}: ${(await isEmpty(stack.target)) ? 'empty' : 'not empty'}`)
    say(`shell:   export ${assignments(curlVariables(stack, service), ' ')}`)
    say(`packets: export ${assignments(clientVariables(stack, service), ' ')}`)
    say('worker:  set -a; . .local/stack.env; npm run worker')
    if (example) say(`try:     ${curl(stack, service, example)}`)
    say('Ctrl-C stops everything')
    for (const program of [service.api, ...service.workers]) program.exited.then(() => say(`${program.name} ended`))
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } finally {
    say('stopping')
    for (const file of [stackFile, settingsFile]) rmSync(file, { force: true })
    await service.stop()
    await logs.stop()
  }
}

async function isEmpty(address: Neo4jAddress): Promise<boolean> {
  await using driver = openDriver(address)
  return await hasNoNodes(driver)
}

const options = optionsOf({
  workers: { type: 'string', default: '2' },
  'load-sample': { type: 'boolean', default: false },
  target: { type: 'boolean', default: false },
})
const workers = Number(options.workers)
if (!Number.isInteger(workers) || workers < 0 || workers > 64) {
  console.error('--workers must be a whole number from 0 to 64')
  process.exit(1)
}
try {
  await start({ workers, loadsSample: options['load-sample'], target: options.target }, settingsGiven())
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
