import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { callbackDue } from '../../shared/jobs/create-job.ts'
import { callbacksDueKey } from '../../shared/redis/keys.ts'
import { consumeCallbacks } from '../../worker/callbacks/consume-callbacks.ts'
import { startJanitor } from '../../worker/janitor.ts'
import { attempted, callbackOf, endedJob, jobWithCallback, orgName } from '../support/jobs/ended-jobs.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { callbackSettings, newSecret, noContent, soon, startReceiver, verified } from '../support/servers/receiver.ts'

const [oldSecret, newestSecret] = [newSecret(), newSecret()]
const receiver = await startReceiver()
const { context, releases } = await ownWorker(callbackSettings([receiver], oldSecret, newestSecret))
const { records, callbacks, redis } = context
await consumeCallbacks(context, releases, { pausesMs: [10, 10, 10], limitMs: 10_000, apartMs: 0, jitter: 0 })

const receivedFor = (id: string) => receiver.received.filter(({ headers }) => `${headers['webhook-id']}`.startsWith(id))
const attemptedHere = (told: Parameters<typeof attempted>[1]) => attempted(receiver.address, told)
const isNotedDue = async (id: string) => (await redis.zscore(callbacksDueKey, id)) !== null

/** Ends a job, queues its callback, and waits until that is no longer due. */
async function called(state?: 'succeeded' | 'failed' | 'cancelled') {
  const id = await endedJob(context, receiver.url, state)
  await callbacks.add({ id, orgName })
  await expect.poll(() => isNotedDue(id), soon).toBe(false)
  return { id, callback: await callbackOf(context, id), received: receivedFor(id) }
}

describe('a callback', () => {
  test.each(['succeeded', 'failed', 'cancelled'] as const)(
    'the callback of a job reports that it has ended: %s',
    async (state) => {
      const { id, callback, received } = await called(state)
      expect(callback).toEqual(attemptedHere({ state: 'delivered', attempts: 1, lastStatus: 204 }))
      const job = await records.read(id)
      const { type, timestamp, data } = verified(received[0] as (typeof received)[0], newestSecret)
      expect([type, timestamp, received[0]?.path]).toEqual([`job.${state}`, job?.finishedAt, '/hooks?for=packets'])
      const manifest = state === 'succeeded' ? `/1.0/publish/acme%2Fpeople/${id}.json/manifest` : null
      expect(data).toMatchObject({ id, state, error: job?.error, result: `/1.0/jobs/${id}/result`, manifest })
      expect([data.callback, data.callbackUrl]).toEqual([undefined, undefined])
      expect(received[0]?.headers).toMatchObject({ 'webhook-id': `${id}.${state}`, 'content-type': 'application/json' })
    },
  )

  test('a callback is signed with every secret, so that receivers may change from one to the next', async () => {
    const { received } = await called()
    for (const secret of [oldSecret, newestSecret]) verified(received[0] as (typeof received)[0], secret)
    expect(() => verified(received[0] as (typeof received)[0], newSecret())).toThrow('No matching signature found')
  })

  test('a callback is tried again after an error, with the same id and body, until it is delivered', async () => {
    receiver.answerWith((response) => {
      receiver.answerWith(noContent)
      response.writeHead(500).end()
    })
    const { id, callback, received } = await called()
    expect(callback).toEqual(attemptedHere({ state: 'delivered', attempts: 2, lastStatus: 204 }))
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([`${id}.succeeded`, `${id}.succeeded`])
    expect(received[1]?.body).toBe(received[0]?.body)
  })

  test('a callback is given up after the last attempt', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    const { callback, received } = await called()
    receiver.answerWith(noContent)
    expect([callback, received.length]).toEqual([attemptedHere({ state: 'failed', attempts: 4, lastStatus: 500 }), 4])
  })

  test('a callback is given up at once on 410', async () => {
    receiver.answerWith((response) => response.writeHead(410).end())
    const { callback } = await called()
    receiver.answerWith(noContent)
    expect(callback).toEqual(attemptedHere({ state: 'failed', attempts: 1, lastStatus: 410 }))
  })

  test('a callback is delivered once the status says so, however long the answer is', async () => {
    const cut = Promise.withResolvers<void>()
    receiver.answerWith((response) => {
      response.writeHead(200).on('close', cut.resolve)
      response.write(randomBytes(1024 * 1024))
    })
    const { callback } = await called()
    receiver.answerWith(noContent)
    await cut.promise
    expect(callback).toEqual(attemptedHere({ state: 'delivered', attempts: 1, lastStatus: 200 }))
  })

  test('a callback that was queued twice is delivered once', async () => {
    const { id } = await called()
    await callbacks.add({ id, orgName })
    await called()
    expect(receivedFor(id).length).toBe(1)
  })

  test('a callback is delivered once more when asked for, with all its attempts', async () => {
    receiver.answerWith((response) => response.writeHead(410).end())
    const { id } = await called()
    receiver.answerWith(noContent)
    await callbacks.sendAgain({ id, orgName })
    await expect
      .poll(() => callbackOf(context, id), soon)
      .toEqual(attemptedHere({ state: 'delivered', attempts: 1, lastStatus: 204 }))
    expect(receivedFor(id).map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(`${id}.succeeded`))
  })

  test.each([
    ['is noted as delivered, while the queue still has it', 'settle', 204],
    ['is noted as due, before it waits for its next attempt', 'settle', 503],
    ['is found not to be due', 'forget', 204],
  ] as const)(
    'a callback that is asked for once more when an attempt %s is sent at once',
    async (_when, step, status) => {
      receiver.answerWith((response) => {
        receiver.answerWith(noContent)
        response.writeHead(status, { 'retry-after': '3600' }).end()
      })
      const id = await endedJob(context, receiver.url)
      const job = { id, orgName }
      if (step === 'forget')
        await callbacks.settle(
          { id, callbackRounds: 0 },
          { ...callbackDue, state: 'delivered', attempts: 1, lastStatus: 204 },
        )
      const original = callbacks[step] as (...given: unknown[]) => Promise<never>
      const asked = vi.spyOn(callbacks, step).mockImplementationOnce(async (...given: unknown[]) => {
        if (step === 'forget') await callbacks.sendAgain(job)
        const result = await original(...given)
        if (step === 'settle') await callbacks.sendAgain(job)
        return result
      })
      onTestFinished(() => asked.mockRestore())
      await callbacks.add(job)
      const times = step === 'forget' ? 1 : 2
      await expect.poll(() => receivedFor(id).length, soon).toBe(times)
      await expect
        .poll(() => callbackOf(context, id), soon)
        .toEqual(attemptedHere({ state: 'delivered', attempts: 1, lastStatus: 204 }))
    },
  )

  test.each([
    ['first attempt, which ends it,', 1, 410],
    ['last attempt', 4, 500],
  ])(
    'a callback that is asked for once more during its %s has all its attempts again',
    async (_which, last, status) => {
      const held = Promise.withResolvers<() => void>()
      receiver.answerWith((response, { headers }) => {
        const answer = () => response.writeHead(status).end()
        if (receivedFor(`${headers['webhook-id']}`).length < last) return answer()
        receiver.answerWith(noContent)
        held.resolve(answer)
      })
      const id = await endedJob(context, receiver.url)
      await callbacks.add({ id, orgName })
      const fail = await held.promise
      await callbacks.sendAgain({ id, orgName })
      fail()
      await expect.poll(() => isNotedDue(id), soon).toBe(false)
      expect(await callbackOf(context, id)).toEqual(attemptedHere({ state: 'delivered', attempts: 1, lastStatus: 204 }))
      expect(receivedFor(id).length).toBe(last + 1)
    },
  )
})

test('a callback that became due once more is not forgotten by a delivery that had found it delivered', async () => {
  const id = await endedJob(context, receiver.url)
  await callbacks.forget(id)
  expect(await isNotedDue(id)).toBe(true)
  await callbacks.settle(
    { id, callbackRounds: 0 },
    { ...callbackDue, state: 'delivered', attempts: 1, lastStatus: 204 },
  )
  expect(await isNotedDue(id)).toBe(false)
})

test('callbacks that the queue has lost are found however many are due', async () => {
  const ids = Array.from({ length: 1_001 }, (_, at) => `lost-${at}`)
  await redis.zadd(callbacksDueKey, ...ids.flatMap((id) => [1, id]))
  const found = await callbacks.lostBefore(2)
  await redis.zrem(callbacksDueKey, ...ids)
  expect(found.toSorted()).toEqual(ids.toSorted())
})

describe('a callback that was due and not queued, as its worker or API was killed', () => {
  test.each([
    ['finished', (id: string) => records.finish(id, 'succeeded', {})],
    ['cancelled', (id: string) => records.cancel(id)],
    ['withdrawn', (id: string) => records.withdraw(id, { status: 503, code: 'queueAway', message: 'away' })],
  ])('a callback that was due and not queued is delivered by the janitor: a job that was %s', async (_how, end) => {
    const id = await jobWithCallback(context, receiver.url)
    expect(await isNotedDue(id)).toBe(false)
    await end(id)
    expect([await isNotedDue(id), receivedFor(id).length]).toEqual([true, 0])
    await redis.zadd(callbacksDueKey, 1, id) // before the grace period
    startJanitor(context, releases)
    await expect.poll(() => isNotedDue(id), soon).toBe(false)
    expect(receivedFor(id).length).toBe(1)
  })

  test('a callback that was due and not queued is forgotten when its job is gone', async () => {
    const id = await endedJob(context, receiver.url)
    await redis.del(`packets:job:${id}`)
    await callbacks.add({ id, orgName })
    await expect.poll(() => isNotedDue(id), soon).toBe(false)
    expect(receivedFor(id)).toEqual([])
  })
})
