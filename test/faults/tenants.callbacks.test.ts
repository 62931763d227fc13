import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { consumeCallbacks } from '../../worker/callbacks/consume-callbacks.ts'
import { callbackOf, endedJob } from '../support/jobs/ended-jobs.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { callbackSettings, newSecret, noContent, soon, startReceiver } from '../support/servers/receiver.ts'
import { openTenants } from '../support/worlds/tenants.ts'

const receiver = await startReceiver()
const { context, releases } = await ownWorker(callbackSettings([receiver], newSecret()))
const { callbacks } = context
/** Longer than any test waits. */
const limitMs = 100_000
const informational = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

async function queued(orgName: string): Promise<string> {
  const id = await endedJob(context, `${receiver.url}&org=${orgName}`, 'succeeded', orgName)
  await callbacks.add({ id, orgName })
  return id
}

const placeOf = (id: string) => receiver.received.findIndex(({ headers }) => `${headers['webhook-id']}`.startsWith(id))

test('an org that sends callbacks again a hundred times delays neither its own later callbacks nor the callbacks of other orgs', async () => {
  for (let added = 0; added < 20; added++) await queued('other')
  const waiting = await queued('again')
  for (let sent = 0; sent < 100; sent++) await callbacks.sendAgain({ id: waiting, orgName: 'again' })
  const later = await queued('again')
  await consumeCallbacks(context, releases, { pausesMs: [], limitMs, apartMs: 20, jitter: 0 })
  await expect.poll(() => receiver.received.length, soon).toBe(22)
  expect(placeOf(later)).toBeLessThan(8)
})

test('callbacks that are sent again while their receiver holds them delay no later callback of their org', async () => {
  const held: ServerResponse[] = []
  receiver.answerWith((response) => void held.push(response))
  const slots = await Promise.all(Array.from({ length: 16 }, () => queued('held')))
  await expect.poll(() => held.length, soon).toBe(16)
  for (let round = 0; round < 10; round++) {
    for (const id of slots) await callbacks.sendAgain({ id, orgName: 'held' })
  }
  const before = receiver.received.length
  for (let added = 0; added < 20; added++) await queued('other')
  const later = await queued('held')
  receiver.answerWith(noContent)
  held.forEach(noContent)
  await expect.poll(() => placeOf(later), soon).toBeGreaterThan(0)
  expect(placeOf(later) - before).toBeLessThan(12)
})

/** Sends informational answers until the connection ends. @returns how many. */
function flood({ socket }: ServerResponse): () => number {
  let written = 0
  void (async () => {
    for (; socket && !socket.destroyed; written++) {
      socket.write(informational.repeat(100))
      await delay(10)
    }
  })()
  return () => written
}

test('a receiver that sends informational answers without end costs its attempt only', async () => {
  let written = () => 0
  receiver.answerWith((response) => {
    written = flood(response)
  })
  const id = await queued('flood')
  // Much sooner than the limit of an attempt.
  await expect.poll(async () => (await callbackOf(context, id))?.state, soon).toBe('failed')
  expect(written()).toBeLessThan(100)
})

test('receivers that flood or never answer harm no other org, whose callbacks arrive', {
  timeout: 180_000,
}, async () => {
  const hostile = await startReceiver()
  let hung = 0
  hostile.answerWith((response) => (hung++ % 2 === 0 ? flood(response) : undefined))
  const settings = callbackSettings([receiver, hostile], newSecret())
  const { service, attacker, attackerOrg, victim, victimOrg, request, unharmedBy } = await openTenants({
    env: settings,
  })
  receiver.answerWith(noContent)
  const respondAsync = { Prefer: 'respond-async' }
  const arrived = (orgName: string) => receiver.received.filter(({ body }) => body.includes(`"${orgName}"`)).length
  let sent = 0
  await unharmedBy(async () => {
    for (let at = 0; at < 60; at++) {
      const body = { ...request, orgName: attackerOrg, fileName: `hostile${at}`, callbackUrl: hostile.url }
      await attacker.post('/1.0/publish/', body, respondAsync)
    }
    await expect.poll(() => hung, soon).toBeGreaterThan(2 * 16)
    for (; sent < 5; sent++) {
      const body = { ...request, orgName: victimOrg, fileName: `called${sent}`, callbackUrl: receiver.url }
      expect((await victim.post('/1.0/publish/', body)).status).toBe(200)
    }
    await expect.poll(() => arrived(victimOrg), { ...soon, timeout: 60_000 }).toBe(sent)
  })
  expect(service.workers.map((worker) => worker.hasExited())).toEqual([false, false])
})

test('a receiver may send a few informational answers before its real one', async () => {
  receiver.answerWith((response) => {
    response.socket?.write(informational.repeat(3))
    noContent(response)
  })
  const id = await queued('few')
  await expect.poll(async () => (await callbackOf(context, id))?.state, soon).toBe('delivered')
})
