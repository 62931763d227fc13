import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { openRun } from '../dev/stack/run.ts'
import { roundTrips } from './stores/round-trips.ts'
import { servers } from './stores/servers.ts'

/**
 * `npm run try:store -- versitygw` starts an S3 server, runs every test of object stores, the demo and round trips of an
 * API with workers against it, prints a row for the table of docs/deployment.md, and stops the server. `given` takes the
 * store of S3_ENDPOINT.
 */
const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const results = join(root, `.local/test-results-${process.argv[2]}.json`)
const [name = ''] = process.argv.slice(2)
const server = servers[name]
if (server === undefined) throw new Error(`name one of these: ${Object.keys(servers).join(', ')}`)

const run = openRun(join(root, '.local/run'), console.error)
try {
  const s3 = await server.start(run)
  const inherited = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) }
  // Not synchronous: the rules of MinIO are a proxy in this process.
  const runs = async (program: string, args: readonly string[], env: Record<string, string>): Promise<boolean> => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...inherited, ...env },
    })
    const [code] = await once(child, 'exit')
    return code === 0
  }
  const vitest = ['run', '--config', 'test/vitest.config.ts', '--project', 'stores']
  const isGreen = await runs(join(bin, 'vitest'), vitest, { TRY_STORE: JSON.stringify(s3), TEST_RESULTS: results })
  const { numPassedTests: passed, numTotalTests: all } = JSON.parse(readFileSync(results, 'utf8'))
  const address = { S3_ENDPOINT: s3.endpoint, S3_REGION: s3.region }
  const isEqual = await runs(process.execPath, [join(root, 'dev/demo.ts')], {
    ...address,
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
  })
  const { wrong, digest } = await roundTrips(run, s3)
  for (const line of wrong) console.error(line)
  const day = new Date().toISOString().slice(0, 10)
  const cells = [
    ...[server.title, day, `${passed} of ${all}${isGreen ? '' : ' (failed)'}`, isEqual ? 'equal' : 'failed'],
    ...[`${wrong.length} wrong`, digest],
  ]
  console.log(`| ${cells.join(' | ')} |`)
  process.exitCode = isGreen && isEqual && wrong.length === 0 ? 0 : 1
} finally {
  await run.stop()
}
