import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import type { JobRecord } from '../../shared/jobs/record.ts'
import type { RunningProcess } from '../stack/processes.ts'
import { startService } from '../stack/service.ts'
import { createClient } from '../support/client.ts'
import { differences, readGraph } from '../support/compare-graphs.ts'
import { openDriver, run } from '../support/neo4j.ts'
import { parsePart, replay } from '../support/replay.ts'
import { database, inSlices, uniqueName } from '../support/requests.ts'
import { drawRing } from '../support/social-graph.ts'

const stack = inject('stack')
const directory = mkdtempSync(join(tmpdir(), 'faults-'))
const service = await startService(stack, { directory, workers: 2, redisDatabase: 7, bucket: uniqueName('faults') })
const client = createClient(service.apiUrl, service.tokens.all as string)
const [origin, target] = [openDriver(stack.neo4j), openDriver(stack.target ?? stack.neo4j)]

afterAll(async () => {
  await Promise.all([service.stop(), origin.close(), target.close()])
  rmSync(directory, { recursive: true })
})

const logOf = (worker: RunningProcess, jobId: string) =>
  worker
    .log()
    .split('\n')
    .filter((line) => line.includes(jobId))

test('a worker killed in the middle loses the job to another, and until that commits no reader sees anything', async () => {
  const [label, org] = [uniqueName('Person'), uniqueName('org')]
  const ids = await drawRing(origin, label, 6_000)
  await client.post(`/1.0/publish/${org}`)
  const request = {
    ...database(stack.neo4j, label, 'id'),
    metadata: true,
    relationships: ['KNOWS>'],
    parameterSyntax: 'dollar',
    orgName: org,
    fileName: 'big',
  }
  const requests = inSlices(ids, 100).map((originIds) => ({ ...request, originIds }))
  const submitted = await client.post('/1.0/publish/multi?batchsize=500', requests, { Prefer: 'respond-async' })
  const location = submitted.headers.get('Location') as string
  const id = location.split('/').at(-1) as string

  let killed: RunningProcess | undefined
  const readings: (string[] | null)[] = []
  const job = await client.followJob(location, 90_000, async (seen: JobRecord) => {
    if (seen.state === 'succeeded') return
    if (killed === undefined && seen.state === 'running' && seen.progress.parts > 0) {
      killed = service.workers.find((worker) => logOf(worker, id).length > 0)
      killed?.kill('SIGKILL')
    }
    // Read before the state is asked again: what is seen here was seen while the job was not committed.
    const listed = await client.get(`/1.0/publish/${org}`)
    const now = await client.get<JobRecord>(location)
    if (now.body.state === 'running') readings.push(listed.body.fileNames)
  })
  expect(killed?.hasExited()).toBe(true)
  expect({ state: job.state, attempt: job.attempt, pairs: job.progress.pairs }).toEqual({
    state: 'succeeded',
    attempt: 2,
    pairs: 18_000,
  })
  expect(readings.length).toBeGreaterThan(0)
  expect(readings.every((names) => names?.length === 0)).toBe(true)

  const { body } = await client.get(`${location}/result`)
  const texts = await Promise.all((body.fileLocations ?? []).map(async (url) => (await fetch(url)).text()))
  expect(texts.length).toBe(36)
  await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  await replay(target, texts.flatMap(parsePart))
  expect(differences(await readGraph(origin, label), await readGraph(target, label))).toEqual([])
  await run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
})

test('two workers take jobs at the same time', async () => {
  const worker = await service.startWorker()
  const [label, org] = [uniqueName('Person'), uniqueName('org')]
  const ids = await drawRing(origin, label, 1_000)
  await client.post(`/1.0/publish/${org}`)
  const request = { ...database(stack.neo4j, label, 'id'), metadata: true, relationships: ['KNOWS'], orgName: org }
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      client.post('/1.0/publish/', {
        ...request,
        originIds: ids.slice(index * 50, index * 50 + 300),
        fileName: `file${index}`,
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  const jobIds = answers.map(({ headers }) => headers.get('Location')?.split('/').at(-1) as string)
  const alive = [...service.workers, worker].filter((one) => !one.hasExited())
  const shares = alive.map((one) => jobIds.filter((jobId) => logOf(one, jobId).length > 0).length)
  expect(shares.length).toBe(2)
  expect(shares.every((share) => share > 0)).toBe(true)
})
