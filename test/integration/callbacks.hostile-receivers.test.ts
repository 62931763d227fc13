import { describe, expect, test } from 'vitest'
import { type HttpsUrl, parseHttpsUrl } from '../../shared/origin/https-url.ts'
import { callbackAddress } from '../../shared/queue/callback-address.ts'
import { callbackQueueName } from '../../shared/queue/callbacks.ts'
import { queuePrefix } from '../../shared/redis/keys.ts'
import { consumeCallbacks } from '../../worker/callbacks/consume-callbacks.ts'
import { attempted, callbackOf, endedJob, orgName } from '../support/jobs/ended-jobs.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { nameServer } from '../support/servers/name-server.ts'
import { callbackSettings, newSecret, noContent, soon, startReceiver } from '../support/servers/receiver.ts'

const receiver = await startReceiver()
const port = Number(receiver.address.split(':')[1])
const elsewhere = await startReceiver('127.0.0.2', port)
const answers = { A: ['127.0.0.1'], AAAA: [] as string[] }
const { context, releases } = await ownWorker({
  ...callbackSettings([receiver, { address: '127.0.0.1:1' }], newSecret()),
  ORIGIN_DNS_SERVERS: await nameServer(answers),
})
const { callbacks, config } = context
const limitMs = 2_000
await consumeCallbacks(context, releases, { pausesMs: [10], limitMs, apartMs: 0, jitter: 0 })

/** The callback after its last attempt. */
async function outcomeAt(url: string) {
  const id = await endedJob(context, url)
  await callbacks.add({ id, orgName })
  await expect.poll(async () => (await callbackOf(context, id))?.state, soon).not.toBe('due')
  return callbackOf(context, id)
}

const failedAt = (host: string, lastStatus: number | null, lastFailure: string | null) => ({
  ...attempted(host, { state: 'failed', attempts: 2, lastStatus }),
  lastFailure,
})
const unanswered = (why: string, host = receiver.address) => failedAt(host, null, why)
const named = `receiver.example:${port}`

describe('a receiver that', () => {
  test('a callback to a receiver that is down fails', async () => {
    expect(await outcomeAt('https://127.0.0.1:1/')).toEqual(unanswered('refused', '127.0.0.1:1'))
  })

  test('an attempt to call a receiver that never answers ends at its limit', async () => {
    receiver.answerWith(() => {})
    const startedAt = performance.now()
    expect(await outcomeAt(receiver.url)).toEqual(unanswered('timedOut'))
    receiver.answerWith(noContent)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2 * limitMs)
  })

  test('a callback to a receiver that changes the protocol fails', async () => {
    receiver.answerWith((response) => response.writeHead(101, { Upgrade: 'x', Connection: 'Upgrade' }).end())
    expect(await outcomeAt(receiver.url)).toEqual(unanswered('brokeOff'))
    receiver.answerWith(noContent)
  })

  test.each(['http://169.254.169.254/latest/meta-data/', `https://${elsewhere.address}/`, '/elsewhere'])(
    'a redirect of a receiver to %s is not followed',
    async (location) => {
      for (const status of [301, 302, 303, 307, 308]) {
        const before = receiver.received.length
        receiver.answerWith((response) => response.writeHead(status, { Location: location }).end())
        expect(await outcomeAt(receiver.url)).toEqual(failedAt(receiver.address, status, null))
        expect(receiver.received.slice(before).map(({ path }) => path)).toEqual(Array(2).fill('/hooks?for=packets'))
      }
      receiver.answerWith(noContent)
      expect(elsewhere.connections()).toBe(0)
    },
  )

  test('a receiver that has no certificate for its name gets no request', async () => {
    const plain = receiver.received.length
    expect(await outcomeAt(`https://receiver.example:${port}/`)).toEqual(unanswered('certificate', named))
    expect([receiver.received.length - plain, receiver.connections() > 0]).toEqual([0, true])
  })
})

describe('a name that was accepted', () => {
  const url = parseHttpsUrl(`https://receiver.example:${port}/`) as HttpsUrl
  const settings = { ...config.callbacks, dnsServers: config.origin.dnsServers } as NonNullable<typeof config.callbacks>

  test('a name that was accepted and now resolves to an address that is not allowed is not connected to', async () => {
    answers.A = ['127.0.0.1']
    expect(await callbackAddress(url, settings)).toBe('127.0.0.1')
    for (const addresses of [['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['169.254.169.254']]) {
      answers.A = addresses
      expect(await outcomeAt(`https://receiver.example:${port}/`)).toEqual(unanswered('notAllowed', named))
    }
    answers.A = ['127.0.0.1']
    expect(elsewhere.connections()).toBe(0)
  })

  test('a name is resolved once for each attempt: the address that was checked is the one connected to', async () => {
    let asked = 0
    Object.defineProperty(answers, 'A', { get: () => (asked++ % 2 === 0 ? ['127.0.0.1'] : ['127.0.0.2']) })
    const before = receiver.connections()
    expect(await outcomeAt(`https://receiver.example:${port}/`)).toEqual(unanswered('notAllowed', named))
    expect([receiver.connections() - before, elsewhere.connections(), asked]).toEqual([1, 0, 2])
  })
})

test.each([
  ['600', 600_000],
  ['999999999', 24 * 3_600_000],
  [new Date(Date.now() + 3_600_000).toUTCString(), 3_500_000],
  ['-1', 0],
  ['soon', 0],
])('Retry-After: %s is honoured, up to a day', async (header, expectedMs) => {
  receiver.answerWith((response) => response.writeHead(503, { 'Retry-After': header }).end())
  const id = await endedJob(context, receiver.url)
  const delayed = `${queuePrefix}:${callbackQueueName}:delayed`
  const startedAt = Date.now()
  await callbacks.add({ id, orgName })
  await expect.poll(async () => (await callbackOf(context, id))?.attempts, soon).toBeGreaterThan(0)
  if (expectedMs === 0) {
    await expect.poll(async () => (await callbackOf(context, id))?.state, soon).toBe('failed')
    return receiver.answerWith(noContent)
  }
  receiver.answerWith(noContent)
  await expect.poll(() => context.redis.zscore(delayed, id), soon).not.toBeNull()
  // The score holds the time, with the order in its low twelve bits.
  const waitMs = Math.floor(Number(await context.redis.zscore(delayed, id)) / 0x1000) - startedAt
  expect(waitMs).toBeGreaterThanOrEqual(expectedMs)
  expect(waitMs).toBeLessThan(expectedMs + 101_000)
  await callbacks.sendAgain({ id, orgName })
  await expect.poll(async () => (await callbackOf(context, id))?.state, soon).toBe('delivered')
})
