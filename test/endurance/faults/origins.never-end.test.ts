import { execFileSync } from 'node:child_process'
import { afterAll, expect, inject, test } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { fakeBolt, inChunks, type Reply } from '../../support/origins/fake-bolt.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { ownDatabase } from '../../support/servers/own-database.ts'

function* forEver(record: Extract<Reply, { record: unknown }>['record']): Generator<Reply> {
  for (;;) yield { record }
}

/** An endless record, one byte per chunk. */
function* inDrops(): Generator<Reply> {
  yield { bytes: Buffer.from([0, 2, 0xb1, 0x71]) }
  const drops = inChunks(Buffer.alloc(100_000, 0x01), 1).subarray(0, -2)
  for (;;) yield { bytes: drops }
}

/** Records whose values take one byte each on the wire but become objects. */
function* ofMaps(): Generator<Reply> {
  const record = inChunks(
    Buffer.concat([Buffer.from([0xb1, 0x71, 0x91, 0xd5, 0xea, 0x60]), Buffer.alloc(60_000, 0xa0)]),
  )
  for (;;) yield { bytes: record }
}

const text = 'x'.repeat(1_000)
const endless = {
  rows: await fakeBolt(() => forEver([[text, text]])),
  'a record in chunks of a byte': await fakeBolt(inDrops),
  'rows of thousands of maps': await fakeBolt(ofMaps),
  'rows of nothing': await fakeBolt(() => forEver([])),
  'rows of what was not asked for': await fakeBolt(() => forEver([{ labels: text }, [[text]], 7, true])),
}
const origins = Object.values(endless).map(({ port }) => `127.0.0.1:${port}`)
const { database: redisDatabase, release } = await ownDatabase(inject('stack').redis.url)
afterAll(release)
const { service, client } = await ownService({ redisDatabase, origins, workers: 1, env: { JOB_MAX_SECONDS: '20' } })
const [worker] = service.workers
const mostKilobytes = 1_500_000

const residentKilobytes = () =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(worker?.pid)], { encoding: 'utf8' }).trim())

test.each(Object.entries(endless))(
  'an origin that sends %s endlessly neither blocks a worker nor exhausts its memory',
  {
    timeout: 300_000,
  },
  async (_what, { port }) => {
    const org = uniqueName('org')
    await client.post(`/1.0/publish/${org}`)
    const request = {
      dbUrl: `bolt://127.0.0.1:${port}`,
      credentials: `Basic ${btoa('user:password')}`,
      mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
      originIds: ['1'],
      metadata: true,
      relationships: ['KNOWS'],
      orgName: org,
      fileName: 'endless',
    }
    const { headers } = await client.post('/1.0/publish/', request, { Prefer: 'respond-async' })
    let most = 0
    const look = () => {
      most = Math.max(most, residentKilobytes())
    }
    const end: JobRecord = await client.followJob(headers.get('Location') as string, 240_000, look)
    expect([end.state, [500, 502, 503, 504].includes(end.error?.status ?? 0)]).toEqual(['failed', true])
    expect(worker?.hasExited()).toBe(false)
    expect(most).toBeLessThan(mostKilobytes)
  },
)
