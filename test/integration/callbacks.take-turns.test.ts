import { expect, test } from 'vitest'
import { consumeCallbacks } from '../../worker/consume-callbacks.ts'
import { endedJob } from '../support/ended-jobs.ts'
import { ownWorker } from '../support/own-worker.ts'
import { callbackSettings, newSecret, noContent, soon, startReceiver } from '../support/receiver.ts'

const receiver = await startReceiver()
const { context, releases } = await ownWorker(callbackSettings([receiver], newSecret()))
const { callbacks } = context

async function queue(orgName: string, count: number): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, () => endedJob(context, `${receiver.url}&org=${orgName}`)),
  )
  for (const id of ids) await callbacks.add({ id, orgName })
  return ids
}

const orgs = () => receiver.received.map(({ path }) => new URL(path, receiver.url).searchParams.get('org'))

test('an org whose receiver fails does not delay the callbacks of others, neither new nor repeated ones', async () => {
  receiver.answerWith((response, { path }) => {
    if (path.endsWith('slow')) response.writeHead(500).end()
    else noContent(response)
  })
  await queue('slow', 100)
  await queue('first', 1)
  await consumeCallbacks(context, releases, { pausesMs: [1, 1, 1, 1], limitMs: 5_000, apartMs: 0 })
  await expect.poll(() => orgs().includes('first'), soon).toBe(true)
  // Those that fail are tried again at once, and would always come first with the turn that they had.
  await expect.poll(() => orgs().length, soon).toBeGreaterThan(120)
  const before = orgs().length
  await queue('second', 1)
  await expect.poll(() => orgs().length, soon).toBe(502)
  expect(orgs().indexOf('first')).toBeLessThan(40)
  expect(orgs().indexOf('second')).toBeLessThan(before + 100)
})
