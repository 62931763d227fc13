import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import { createJobQueue, type JobPayload } from '../../shared/queue/queue.ts'
import { queueName, queuePrefix } from '../../shared/redis/keys.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const token = 'token'
const { url } = inject('stack').redis
const { database, release } = await ownDatabase(url)
const redis = new Redis(url, { db: database, maxRetriesPerRequest: null })
const queue = createJobQueue(redis)
const worker = new Worker<JobPayload>(queueName, null, {
  connection: redis,
  prefix: queuePrefix,
  skipStalledCheck: true,
})
afterAll(async () => {
  await worker.close()
  await queue.close()
  redis.disconnect()
  await release()
})

async function begin(): Promise<Job<JobPayload>> {
  const delivery = (await worker.getNextJob(token, { block: false })) as Job<JobPayload>
  await queue.started(delivery.priority)
  return delivery
}

/** Takes all deliveries. @returns their ids, in order. */
async function takeAll(count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const delivery = await begin()
    ids.push(delivery.data.id)
    await delivery.moveToCompleted(null, token, false)
  }
  return ids
}

test('a delivery that is tried again gets a new turn, after the deliveries of other orgs that have come', async () => {
  for (const id of ['a-0', 'a-1', 'a-2']) await queue.add({ id, orgName: 'attacker' })
  const again = await begin()
  await queue.add({ id: 'v-0', orgName: 'victim' })
  await queue.newTurn(again, 'attacker')
  await again.moveToWait(token)
  expect(await takeAll(4)).toEqual(['v-0', 'a-1', 'a-2', 'a-0'])
})

test('a delivery that lets others go first goes behind them, and takes no turn of its org', async () => {
  for (const id of ['b-0', 'b-1']) await queue.add({ id, orgName: 'attacker' })
  const second = await begin()
  await queue.add({ id: 'w-0', orgName: 'victim' })
  await queue.newTurn(second, 'attacker', 'second')
  await second.moveToWait(token)
  await queue.add({ id: 'b-2', orgName: 'attacker' })
  const order = await takeAll(4)
  expect([order[0], order[3]]).toEqual(['w-0', 'b-2'])
})
