import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ownJobs } from '../../support/jobs/own-jobs.ts'
import { leastRounds, openTenants } from '../../support/worlds/tenants.ts'

const { service, attacker, attackerOrg, unharmedBy } = await openTenants()
const { hostname, port } = new URL(service.apiUrl)
const after = Array.from({ length: 900 }, (_, at) => (at % 190 === 189 ? '/' : 'A')).join('')

/** Sends a GET as the attacker and hangs up after a second. */
async function leaveAfterASecond(path: string): Promise<void> {
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  socket.resume()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.tokens.attacker}\r\n\r\n`)
  await delay(1_000)
  socket.destroy()
}

const leaving = (count: number, path: string) =>
  Promise.all(Array.from({ length: count }, () => leaveAfterASecond(path)))

/** Processor time that a program has taken; the kernel counts it in hundredths of a second. */
function processorMs(pid: number): number {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [userTicks, systemTicks] = (fields as string).split(' ').slice(11, 13)
  return (Number(userTicks) + Number(systemTicks)) * 10
}

/** Requests that the API has made to the store. */
async function storeRequests(): Promise<number> {
  const text = await (await fetch(`${service.apiUrl}/metrics`)).text()
  const counts = [...text.matchAll(/^packets_store_request_seconds_count\{.*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

test('a hundred lists after a name of 900 characters take few store requests each', async () => {
  const before = await storeRequests()
  await leaving(100, `/1.0/publish/${attackerOrg}?limit=1&after=${after}`)
  expect((await storeRequests()) - before).toBeLessThan(100 * 15)
})

test('clients that leave their lists of files and of jobs harm no other org', { timeout: 180_000 }, async () => {
  // None of these jobs has the state that is asked for, so a list looks at the states of all.
  const jobs = ownJobs(service.redisUrl)
  const ids = await Promise.all(Array.from({ length: 5_000 }, () => jobs.create(attackerOrg)))
  await Promise.all(ids.map((id) => jobs.records.finish(id, 'succeeded', {})))
  const { body } = await attacker.get<{ jobs: object[] }>('/1.0/jobs?state=succeeded&limit=1')
  expect(body.jobs).toHaveLength(1)
  let lists = 0
  const before = processorMs(service.api.pid)
  await unharmedBy(
    async (rounds) => {
      do {
        await leaving(100, `/1.0/publish/${attackerOrg}?limit=1&after=${after}`)
        await leaving(100, '/1.0/jobs?state=failed&limit=1')
        lists += 200
      } while (rounds() < leastRounds)
    },
    // A busy machine gives an API a hundred requests in one turn.
    { turnMs: 1_000 },
  )
  expect((processorMs(service.api.pid) - before) / lists, 'processor time for a list, ms').toBeLessThan(20)
})
