import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { database } from '../../dev/requests.ts'
import { startBusyExports } from './busy-exports.ts'
import type { Lane } from './lanes.ts'
import { median } from './numbers.ts'
import { newFile, tidy } from './publishing.ts'
import type { Measured } from './results.ts'
import { type Ours, orgName, type Setting } from './setting.ts'
import { countCpu, peakMegabytes } from './usage.ts'

// Sequential submits per round: 5,000 in five rounds. Busy ones are slow, so fewer must suffice.
const submits = 1_000
const busySubmits = 200

export const submitLanes: Lane[] = [
  { name: 'queue-add', unit: 'adds', what: "BullMQ's queue.add alone, one after the other", measure: bareAdds },
  { name: 'store-put', unit: 'puts', what: 'an object of 1 kB into the store, one after the other', measure: barePuts },
  { name: 'submit-idle', unit: 'submits', what: 'POST with respond-async of one id, no workers', measure: idle },
  {
    name: 'submit-busy',
    unit: 'submits',
    what: 'the same while two workers export all relationships',
    measure: busy,
    most: 3,
  },
]

/** Calls `does` `count` times after a tenth as many warm-ups; reports the median and the CPU time of `pid`. */
async function measured(
  count: number,
  does: (index: number) => Promise<unknown>,
  pid: number,
  { neo4j }: Setting,
): Promise<Measured> {
  const warmUps = count / 10
  for (let index = 0; index < warmUps; index++) await does(index)
  const used = countCpu({ client: [pid], database: [neo4j.pid] })
  const times: number[] = []
  for (let index = warmUps; index < warmUps + count; index++) {
    const started = performance.now()
    await does(index)
    times.push(performance.now() - started)
  }
  const { client, database: ofDatabase } = used()
  return {
    statements: count,
    seconds: times.reduce((sum, time) => sum + time, 0) / 1_000,
    medianMs: median(times),
    clientCpu: client,
    databaseCpu: ofDatabase,
    peakMB: peakMegabytes(pid),
  }
}

async function bareAdds(setting: Setting): Promise<Measured> {
  const url = `${setting.redis.url}/3`
  const connection = new Redis(url, { enableOfflineQueue: true, maxRetriesPerRequest: null })
  const queue = new Queue('bare', { connection })
  const options = {
    attempts: 3,
    backoff: { type: 'exponential', delay: 1_000 },
    removeOnComplete: true,
    removeOnFail: true,
  }
  try {
    const add = (index: number) =>
      queue.add('publish-packet', { id: `id-${index}` }, { ...options, jobId: `id-${index}` })
    return await measured(submits, add, process.pid, setting)
  } finally {
    await queue.close()
    await connection.flushdb()
    connection.disconnect()
  }
}

/** The lower bound of a submit: its request must be in the store before the answer. */
async function barePuts(setting: Setting): Promise<Measured> {
  const bytes = Buffer.alloc(1_000, 'x')
  try {
    return await measured(
      submits,
      (index) => setting.ours.store.put(`${orgName}/put-${index}`, bytes),
      process.pid,
      setting,
    )
  } finally {
    await tidy(setting.ours)
  }
}

async function idle(setting: Setting): Promise<Measured> {
  const ours = await setting.startOurs(2)
  try {
    return await submitted(setting, ours, submits)
  } finally {
    await empty(setting, ours)
  }
}

async function busy(setting: Setting): Promise<Measured> {
  const ours = await setting.startOurs(2)
  const exports = await startBusyExports(setting, ours, 2)
  try {
    return await submitted(setting, ours, busySubmits, exports.check)
  } finally {
    await exports.stop()
    await empty(setting, ours)
  }
}

/** Removes everything a round left in the queue and the store. */
async function empty({ redis }: Setting, ours: Ours): Promise<void> {
  await ours.service.stop()
  await tidy(ours)
  const connection = new Redis(`${redis.url}/2`)
  await connection.flushdb()
  connection.disconnect()
}

/** Sequential small publishes. */
async function submitted(setting: Setting, ours: Ours, count: number, check = () => {}): Promise<Measured> {
  const { neo4j, ids } = setting
  const { service } = ours
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const fields = { ...database(neo4j, 'Person', 'id'), metadata: true, orgName }
  const headers = {
    Authorization: `Bearer ${service.tokens.all}`,
    'Content-Type': 'application/json',
    Prefer: 'respond-async',
  }
  const submit = async (index: number) => {
    check()
    const sent = request(`${service.apiUrl}/1.0/publish/`, { method: 'POST', agent, headers })
    sent.end(JSON.stringify({ ...fields, originIds: [ids[index % ids.length]], fileName: `small/${newFile()}` }))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    if (answer.statusCode !== 202) throw new Error(`a submit was answered ${answer.statusCode}`)
  }
  try {
    return await measured(count, submit, service.api.pid, setting)
  } finally {
    agent.destroy()
  }
}
