import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Client, createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, inSlices } from '../../dev/requests.ts'
import { overrides, type Service, startService } from '../../dev/service.ts'
import type { S3Address } from '../../dev/stack/addresses.ts'
import { startOrigin } from '../../dev/stack/native/neo4j.ts'
import { startRedis } from '../../dev/stack/native/redis.ts'
import type { Run } from '../../dev/stack/run.ts'
import { shortTimes } from '../support/faults/short-times.ts'
import { drawRing } from '../support/graphs/social-graph.ts'

const people = 3_000
const subRequests = 600
const [org, label] = ['trips', 'Traveller']
const expiresAfterSeconds = 8

interface Trip {
  client: Client
  service: Service
  ids: string[]
  request(fileName: string, originIds: readonly string[], more?: object): object
  /** @returns the location of the job */
  submit(path: string, body: object): Promise<string>
  /** Publishes, and waits for the job. @returns its state */
  publish(path: string, body: object): Promise<string>
  /** Notes a wrong answer. */
  same(what: string, actual: unknown, expected: unknown): void
  /** Adds a packet to the digest: its manifest without job, times and links, and the bytes behind its links. */
  digest(fileName: string): Promise<void>
  names(filter?: string): Promise<string[] | null>
}

const statusOf = async ({ client }: Trip, fileName: string) =>
  (await client.get(`/1.0/publish/${org}/${fileName}`)).status

/** The steps, in their order. All work on one origin, which nothing changes. */
const steps: Record<string, (trip: Trip) => Promise<void>> = {
  async 'worker killed in the middle of a publish'(trip) {
    const { client, service, request, ids, same } = trip
    const doomed = await service.startWorker(overrides({ failpoint: 'partStored:kill:2' }))
    const body = inSlices(ids, people / 10).map((some) => request('killed', some))
    const location = await trip.submit('/1.0/publish/multi?batchsize=1000', body)
    const exit = await Promise.race([doomed.exited, delay(60_000)])
    await Promise.all([service.startWorker(), service.startWorker()])
    const job = await client.followJob(location)
    const seen = [exit?.signal, job.state, job.progress.parts > 2]
    same('another worker completes the job', seen, ['SIGKILL', 'succeeded', true])
    await trip.digest('killed')
  },
  async publish(trip) {
    trip.same('state', await trip.publish('/1.0/publish/', trip.request('single', trip.ids.slice(0, 500))), 'succeeded')
    await trip.digest('single')
  },
  async 'multi of 600 sub-requests'(trip) {
    const { ids, request, same } = trip
    const body = inSlices(ids, people / subRequests).map((some) => request('multi', some))
    same('state', await trip.publish('/1.0/publish/multi?batchsize=1000', body), 'succeeded')
    await trip.digest('multi')
  },
  async overwrite(trip) {
    const { client, ids, request, same } = trip
    const [body, before] = [request('multi', ids.slice(0, 10)), (await trip.names('multi')) ?? []]
    same('several parts', [before.includes(`multiPart2of${before.length}`), before.length > 1], [true, true])
    same('refused', (await client.post('/1.0/publish/', body)).status, 409)
    same('state', await trip.publish('/1.0/publish/multi?forceOverwrite=true', [body]), 'succeeded')
    same('listed', await trip.names('multi'), ['multi'])
    same('the part before', await statusOf(trip, before[0] as string), 404)
    await trip.digest('multi')
  },
  async delete(trip) {
    const { client, ids, same, request } = trip
    const { mappedIndices } = request('deleted', []) as { mappedIndices: object }
    const body = { fileName: 'deleted', mappedIndices, index: label, originIds: ids.slice(0, 700) }
    same('a packet that deletes', (await client.post(`/1.0/publish/${org}/delete`, body)).status, 200)
    await trip.digest('deleted')
    same('read', await statusOf(trip, 'single'), 200)
    same('removed', (await client.call('DELETE', `/1.0/publish/${org}/single`)).status, 200)
    same('gone', [await statusOf(trip, 'single'), await trip.names('single')], [404, []])
    same('published again', await trip.publish('/1.0/publish/', request('single', ids.slice(0, 10))), 'succeeded')
    await trip.digest('single')
  },
  async list(trip) {
    const { client, ids, request, same } = trip
    const odd = ['a+b', 'below/it', 'ü "quoted"', "it's"]
    for (const name of odd) {
      same(name, await trip.publish('/1.0/publish/', request(name, ids.slice(0, 3))), 'succeeded')
      await trip.digest(name)
    }
    const all = (await trip.names()) ?? []
    same(
      'all',
      [...odd, 'deleted', 'multi', 'single'].filter((name) => !all.includes(name)),
      [],
    )
    const paged: string[] = []
    for (let after: string | undefined, page = 0; page < 100; page++) {
      const query = after === undefined ? '' : `&after=${encodeURIComponent(after)}`
      const { body } = await client.get<{ fileNames: string[]; next: string | null }>(
        `/1.0/publish/${org}?limit=2${query}`,
      )
      paged.push(...body.fileNames)
      if (body.next === null) break
      after = body.next
    }
    same('pages', paged.toSorted(), all.toSorted())
    const found = await client.post(`/1.0/publish/${org}/files`, { fileNames: ['a+', 'si'], usePrefixes: true })
    same('by prefix', found.body.fileNames, ['a+b', 'single'])
  },
  async expire(trip) {
    const { ids, request, same } = trip
    const body = request('expiring', ids.slice(0, 10), { expiresAfterDays: expiresAfterSeconds / 86_400 })
    same('state', await trip.publish('/1.0/publish/', body), 'succeeded')
    await trip.digest('expiring')
    same('before', [await statusOf(trip, 'expiring'), await trip.names('expiring')], [200, ['expiring']])
    await delay((expiresAfterSeconds + 1) * 1_000)
    same('after', [await statusOf(trip, 'expiring'), await trip.names('expiring')], [404, []])
  },
}

/**
 * Publishes through an API and workers into a store, and reads back. @returns what was wrong, and a digest of all
 * packets, without what differs in each run. It is the same on every store.
 */
export async function roundTrips(run: Run, s3: S3Address): Promise<{ wrong: string[]; digest: string }> {
  const [neo4j, redis] = await Promise.all([startOrigin(run, true), startRedis(run)])
  await using driver = openDriver(neo4j)
  const ids = await drawRing(driver, label, people)
  const directory = join(run.directory, 'round-trips')
  const env = { ...shortTimes, WORKER_CONCURRENCY: '1' }
  await using service = await startService({ neo4j, redis, s3 }, { directory, workers: 0, bucket: 'round-trips', env })
  const client = createClient(service.apiUrl, service.tokens.all as string)
  await client.post(`/1.0/publish/${org}`)
  const hash = createHash('sha256')
  const wrong: string[] = []
  const fields = { ...database(neo4j, label, 'id'), metadata: true, relationships: ['KNOWS'], orgName: org }
  const pathOf = (fileName: string) => `/1.0/publish/${org}/${encodeURIComponent(fileName)}`
  let step = ''
  const trip: Trip = {
    client,
    service,
    ids,
    request: (fileName, originIds, more = {}) => ({ ...fields, fileName, originIds, ...more }),
    async submit(path, body) {
      const { status, headers, text } = await client.post(path, body, { Prefer: 'respond-async' })
      if (status !== 202) throw new Error(`${status} ${text.slice(0, 200)}`)
      return headers.get('Location') as string
    },
    publish: async (path, body) => (await client.followJob(await trip.submit(path, body))).state,
    same(what, actual, expected) {
      if (isDeepStrictEqual(actual, expected)) return
      wrong.push(`${step}, ${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
    },
    async digest(fileName) {
      type Part = { url: string; sha256: string }
      const { body } = await client.get<{ parts: Part[] }>(`${pathOf(fileName)}/manifest?lifetime=60`)
      const parts = body.parts.map(({ url: _, ...part }) => part)
      hash.update(JSON.stringify({ ...body, parts, jobId: null, createdAt: null, expiresAt: null }))
      for (const { url, sha256 } of body.parts) {
        const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
        trip.same(`${fileName}, its bytes`, createHash('sha256').update(bytes).digest('hex'), sha256)
        hash.update(bytes)
      }
    },
    async names(filter = '') {
      const query = filter === '' ? '' : `?filter=${encodeURIComponent(filter)}`
      return (await client.get(`/1.0/publish/${org}${query}`)).body.fileNames
    },
  }
  for (const [name, work] of Object.entries(steps)) {
    step = name
    run.say(`round trips: ${name}`)
    await work(trip).catch((error) => wrong.push(`${name}: ${(error as Error).message}`))
  }
  return { wrong, digest: hash.digest('hex').slice(0, 16) }
}
