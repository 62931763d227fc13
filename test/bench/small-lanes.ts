import { database } from '../../dev/requests.ts'
import type { RunningProcess } from '../../dev/stack/processes.ts'
import { measuredAt } from '../support/programs/metrics.ts'
import type { Lane } from './lanes.ts'
import { newFile, tidy } from './publishing.ts'
import type { Measured } from './results.ts'
import { orgName, type Setting } from './setting.ts'
import { countCpu, peakMegabytes } from './usage.ts'

const publishes = 2_000
const warmUps = 500
const clients = 16

/** What most clients send: packets of one node, here from many clients at the same time. */
export const smallLanes: Lane[] = [
  {
    name: 'small-2000',
    unit: 'publishes',
    what: '2,000 publishes of one node by 16 clients, each answered with its packet, two workers',
    measure: small,
  },
]

async function small(setting: Setting): Promise<Measured> {
  const { ours, neo4j, redis, s3 } = setting
  const { service } = ours
  const workers = await Promise.all([service.startWorker(), service.startWorker()])
  try {
    await publishMany(setting, warmUps)
    const programs = [service.apiUrl, ...workers.map(healthUrlOf)]
    const before = await storeRequests(programs)
    const used = countCpu({
      client: workers.map(({ pid }) => pid),
      database: [neo4j.pid],
      others: [redis.pid, s3.pid, service.api.pid],
      api: [service.api.pid],
      store: [s3.pid],
    })
    const started = performance.now()
    await publishMany(setting, publishes)
    const seconds = (performance.now() - started) / 1_000
    const { client, database: ofDatabase, others, api, store } = used()
    const after = await storeRequests(programs)
    return {
      statements: publishes,
      seconds,
      clientCpu: client,
      databaseCpu: ofDatabase,
      othersCpu: others,
      apiCpu: api,
      storeCpu: store,
      peakMB: Math.max(...workers.map(({ pid }) => peakMegabytes(pid))),
      ...Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])),
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop(20_000)))
    await tidy(ours)
  }
}

async function publishMany({ ours, neo4j, ids }: Setting, count: number): Promise<void> {
  const fields = { ...database(neo4j, 'Person', 'id'), metadata: true, orgName }
  const publish = async (id: string) => {
    const { status, body } = await ours.client.post('/1.0/publish/', {
      ...fields,
      originIds: [id],
      fileName: newFile(),
    })
    if (status !== 200 || body.transactionRequest === null) throw new Error(`a publish was answered ${status}`)
  }
  let next = 0
  const client = async () => {
    while (next < count) await publish(ids[next++ % ids.length] as string)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

const healthUrlOf = (worker: RunningProcess) =>
  `http://127.0.0.1:${/"port":(\d+),"msg":"listening"/.exec(worker.log())?.[1]}`

/** Requests to the store so far, by operation, of the API and of the workers. */
async function storeRequests([apiUrl = '', ...workerUrls]: readonly string[]): Promise<Record<string, number>> {
  const api = await measuredAt(apiUrl)
  const workers = await Promise.all(workerUrls.map(measuredAt))
  const counts = ['put', 'get', 'list', 'copy', 'remove'].map((operation) => {
    const of = (program: typeof api) => program.sum('packets_store_request_seconds_count', { operation })
    return { [`api ${operation}`]: of(api), [`worker ${operation}`]: workers.reduce((sum, one) => sum + of(one), 0) }
  })
  const connects = workers.map((one) => one.sum('packets_bolt_seconds_count', { operation: 'connect' }))
  return Object.assign({ connects: connects.reduce((sum, one) => sum + one, 0) }, ...counts)
}
