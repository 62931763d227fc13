import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database } from '../../dev/requests.ts'
import { startService } from '../../dev/service.ts'
import { startOrigin } from '../../dev/stack/native/neo4j.ts'
import { startRedis } from '../../dev/stack/native/redis.ts'
import { openRun } from '../../dev/stack/run.ts'
import { readConfig } from '../../shared/config/config.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { serveMemoryStore } from '../support/servers/memory-s3-server.ts'
import { storePackets } from '../support/storage/many-packets.ts'
import { openMemoryStore } from '../support/storage/memory-store.ts'
import { sweep } from '../support/storage/sweeps.ts'
import { median, round, seconds } from './numbers.ts'
import { peakMegabytes } from './usage.ts'

/**
 * Measures what a bucket of many orgs costs: listings of one org, submits, small publishes and a sweep, for each number
 * of `--orgs` (10,100,1000) of a hundred packets. The store is in memory, behind HTTP, as a real one takes long to fill.
 * `node_modules/.bin/node test/bench/many-orgs.ts`
 */
const { values } = parseArgs({ options: { orgs: { type: 'string', default: '10,100,1000' } } })
const packetsPerOrg = 100
const calls = 100

const directory = mkdtempSync(join(tmpdir(), 'many-orgs-'))
const servers = openRun(join(import.meta.dirname, '../../.local/run'), console.log)
const starts = [startOrigin(servers, true), startRedis(servers)] as const
const memory = openMemoryStore()
const server = await serveMemoryStore(memory)
const measured = []
try {
  const [neo4j, redis] = await Promise.all(starts)
  const driver = openDriver(neo4j)
  await drawRing(driver, 'Org', 3)
  await driver.close()
  const s3 = {
    endpoint: server.settings.S3_ENDPOINT,
    region: 'us-east-1',
    accessKey: 'any',
    secretKey: 'any',
    pid: null,
  }
  await using service = await startService({ neo4j, redis, s3 }, { directory, workers: 1, env: { PLAIN_FILES: 'off' } })
  const store = openMinioStore(readConfig('worker', service.env).storage)
  const client = createClient(service.apiUrl, service.tokens.all as string)
  const fields = { ...database(neo4j, 'Org', 'id'), metadata: true, originIds: ['p1'] }
  let orgs = 0

  /** The median of many calls in milliseconds, and the requests to the store of one. */
  async function each(call: (at: number) => Promise<{ status: number }>, expected: number) {
    const took: number[] = []
    memory.forget()
    for (let at = 0; at < calls; at++) {
      took.push(
        await seconds(async () => {
          const { status } = await call(at)
          if (status !== expected) throw new Error(`answered with ${status}`)
        }),
      )
    }
    return `${round(1_000 * median(took))} ms, ${round(memory.requests.length / calls)}`
  }

  for (const wanted of values.orgs.split(',').map(Number)) {
    for (; orgs < wanted; orgs++) await storePackets(memory, `org-${orgs}`, packetsPerOrg)
    const orgAt = (at: number) => `org-${at % orgs}`
    const publish = (preference: string) => (at: number) =>
      client.post(
        '/1.0/publish/',
        { ...fields, orgName: orgAt(at), fileName: `${preference} ${orgs} ${at}` },
        { Prefer: preference },
      )
    const row = {
      orgs,
      packets: orgs * packetsPerOrg,
      'listing, store requests': await each((at) => client.call('GET', `/1.0/publish/${orgAt(at)}`), 200),
      submit: await each(publish('respond-async'), 202),
      publish: await each(publish('return=minimal'), 200),
    }
    memory.forget()
    const swept = round(await seconds(() => sweep(storageOn(store))))
    const sweeping = { 'sweep, s': swept, 'its store requests': memory.requests.length }
    measured.push({ ...row, ...sweeping, 'API, MB': round(peakMegabytes(service.api.pid)) })
    console.table(measured.slice(-1))
  }
  console.table(measured)
} finally {
  server.close()
  await servers.stop(starts)
  rmSync(directory, { recursive: true })
}
