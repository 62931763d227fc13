import { setTimeout as delay } from 'node:timers/promises'
import { database, inSlices } from '../../dev/requests.ts'
import type { RunningProcess } from '../../dev/stack/processes.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { hiddenBelow } from '../../shared/storage/keys.ts'
import type { Measured } from './results.ts'
import { type Ours, orgName, type Setting } from './setting.ts'
import { countCpu, peakMegabytes } from './usage.ts'

export const idsPerRequest = 500
const longestMs = 1_800_000

/** Options of each publish, with everything a user gets: cleanup, `qa`, search lists. */
export const nodes = { metadata: true, searchIdField: 'id' }
export const relationships = { relationships: ['KNOWS>'], searchIdField: 'id' }
/** Both, by ids or by label. */
export const graph = { ...nodes, ...relationships }

let files = 0
/** A new name, so that nothing an API caches by name can help. */
export const newFile = (): string => `file-${files++}`

/** The serialized body of a multi. */
export function multiOf(
  { neo4j }: Setting,
  { ids, options, selections = 0, cities }: Omit<Work, 'pairs' | 'kept'>,
  fileName: string,
): string {
  const select = [{ label: 'Person', ...(cities ? { where: { city: cities } } : {}) }]
  const fields = { ...database(neo4j, 'Person', 'id'), ...options, orgName, fileName }
  const listed = inSlices(ids, idsPerRequest).map((originIds) => ({ ...fields, originIds }))
  return JSON.stringify([...listed, ...Array.from({ length: selections }, () => ({ ...fields, select }))])
}

/** Submits a multi without waiting for it. @returns the job's location. */
export async function submit({ client }: Ours, body: string): Promise<string> {
  const { headers, body: answer } = await client.post('/1.0/publish/multi', body, { Prefer: 'respond-async' })
  if (answer.error !== null && !answer.error.startsWith('202 ')) throw new Error(answer.error)
  return headers.get('Location') as string
}

export interface Work {
  ids: readonly string[]
  options: object
  /** Sub-requests that select all people, or the people of some cities. */
  selections?: number
  cities?: readonly string[]
  /** The expected number of pairs; null: any. */
  pairs: number | null
  /** The name of a packet that stays in the store; absent: a new one, removed afterwards. */
  kept?: string
}

/** Measures from the POST to the end of the job, with workers already running. */
export async function published(
  setting: Setting,
  ours: Ours,
  workers: readonly RunningProcess[],
  { pairs, kept, ...work }: Work,
): Promise<Measured> {
  const fileName = kept ?? newFile()
  const body = multiOf(setting, work, fileName)
  const { neo4j, redis, s3 } = setting
  const used = countCpu({
    client: workers.map(({ pid }) => pid),
    database: [neo4j.pid],
    others: [redis.pid, s3.pid, ours.service.api.pid],
  })
  const postedAt = Date.now()
  const started = performance.now()
  const location = await submit(ours, body)
  const finished = new AbortController()
  const staged = firstStagedPart(ours, fileName, finished.signal)
  const job = await ours.client.followJob(location, longestMs).finally(() => finished.abort())
  const seconds = (performance.now() - started) / 1_000
  const { client, database: ofDatabase, others } = used()
  const partAt = await staged
  if (job.state !== 'succeeded') throw new Error(`the job ${job.state}: ${job.error?.message}`)
  if (Number.isNaN(partAt)) throw new Error('no part was seen in the store')
  const statements = job.progress.pairs
  if (statements !== (pairs ?? statements)) throw new Error(`${statements} pairs instead of ${pairs}`)
  if (kept === undefined) await tidy(ours)
  return {
    statements,
    seconds,
    clientCpu: client,
    databaseCpu: ofDatabase,
    othersCpu: others,
    peakMB: Math.max(...workers.map(({ pid }) => peakMegabytes(pid))),
    apiPeakMB: peakMegabytes(ours.service.api.pid),
    ...partTimes(partAt, postedAt, job),
    bytes: job.progress.bytes,
  }
}

/** The same with fresh workers, warmed up with enough slices for everything each builds concurrently. */
export async function publishedByFresh(
  setting: Setting,
  { workers: count, warmUp, ...work }: Work & { workers: number; warmUp?: Work },
): Promise<Measured> {
  const { ours } = setting
  const workers = await Promise.all(Array.from({ length: count }, () => ours.service.startWorker()))
  try {
    if (warmUp) await published(setting, ours, workers, repeated(warmUp, count))
    return await published(setting, ours, workers, work)
  } finally {
    await Promise.all(workers.map((worker) => worker.stop(20_000)))
  }
}

/** Repeats the work within one multi. */
export const repeated = ({ ids, selections = 0, pairs, ...work }: Work, times: number): Work => ({
  ...work,
  ids: Array.from({ length: times }, () => ids).flat(),
  selections: selections * times,
  pairs: pairs === null ? null : pairs * times,
})

const partTimes = (partAt: number, postedAt: number, { startedAt }: JobRecord) => ({
  firstPartAfterStart: (partAt - Date.parse(startedAt as string)) / 1_000,
  firstPartAfterPost: (partAt - postedAt) / 1_000,
})

/** When a packet's first part object appears in the store, polled 100 times a second; NaN if none does. */
async function firstStagedPart({ store }: Ours, fileName: string, finished: AbortSignal): Promise<number> {
  const prefix = `${hiddenBelow(`${orgName}/`).parts}${fileName}/`
  for (;;) {
    const isLastLook = finished.aborted
    if (await store.hasAny(prefix).catch(() => false)) return Date.now()
    if (isLastLook) return Number.NaN
    await delay(10)
  }
}

/** Deletes published packets, so that a long benchmark does not fill the disk. */
export async function tidy({ store }: Ours): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(`${orgName}/`)) if (!key.endsWith('/.org')) keys.push(key)
  for (const some of inSlices(keys, 20)) await Promise.all(some.map((key) => store.remove(key)))
}
