import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { callbackQueueName } from '../../shared/queue/callbacks.ts'
import { queuePrefix } from '../../shared/redis/keys.ts'
import { consumeCallbacks } from '../../worker/callbacks/consume-callbacks.ts'
import { endedJob } from '../support/jobs/ended-jobs.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { callbackSettings, newSecret, noContent, soon, startReceiver } from '../support/servers/receiver.ts'

const receiver = await startReceiver()
const { context, releases } = await ownWorker(callbackSettings([receiver], newSecret()))
const { callbacks, redis } = context

async function queue(orgName: string, count: number): Promise<void> {
  for (let added = 0; added < count; added++) {
    const id = await endedJob(context, `${receiver.url}&org=${orgName}`, 'succeeded', orgName)
    await callbacks.add({ id, orgName })
  }
}

const orgs = () => receiver.received.map(({ path }) => new URL(path, receiver.url).searchParams.get('org'))
const fail = (response: ServerResponse) => void response.writeHead(500).end()

/** Whether all delayed callbacks are due. */
async function areDue(): Promise<boolean> {
  const [, score] = await redis.zrange(`${queuePrefix}:${callbackQueueName}:delayed`, '-1', '-1', 'WITHSCORES')
  return score === undefined || Number(score) / 0x1000 < Date.now()
}

test('an org whose receiver fails does not delay the callbacks of others, neither at first nor when they are repeated', async () => {
  const held: ServerResponse[] = []
  // The receiver holds repeated callbacks.
  receiver.answerWith((response, { path }) => {
    if (receiver.received.length > 61) held.push(response)
    else if (path.endsWith('slow')) fail(response)
    else noContent(response)
  })
  await queue('slow', 60)
  await queue('first', 1)
  await consumeCallbacks(context, releases, { pausesMs: [300], limitMs: 60_000, apartMs: 0, jitter: 0 })
  await expect.poll(() => held.length, soon).toBe(16)
  expect(orgs().indexOf('first')).toBeLessThan(30)
  await expect.poll(areDue, soon).toBe(true)
  const before = orgs().length
  await queue('second', 1)
  receiver.answerWith((response) => fail(response))
  held.forEach(fail)
  await expect.poll(() => orgs().indexOf('second'), soon).toBeGreaterThan(0)
  // With their earlier turns, all the others would be repeated first.
  expect(orgs().indexOf('second') - before).toBeLessThan(16)
})
