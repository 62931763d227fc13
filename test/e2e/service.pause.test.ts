import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { prepare } from '../support/clients/e2e.ts'
import { stuckOrigin } from '../support/faults/stuck-origin.ts'
import { measuredAt } from '../support/programs/metrics.ts'
import { ownService } from '../support/programs/own-service.ts'

interface Paused {
  paused: { since: string; by: string } | null
}

const tokens = [
  { name: 'one-org', orgs: ['acme'], scopes: ['ops:write'] },
  { name: 'second', orgs: ['*'], scopes: ['ops:write'] },
  { name: 'reader', orgs: ['*'], scopes: ['publish:read'] },
]
const stuck = await stuckOrigin()
const { service, client, as } = await ownService({ tokens, workers: 1, origins: [stuck.address] })
const { fields, org } = await prepare(2, service)

const overview = async () => (await client.get<{ queue: Paused & { waiting: number } }>('/1.0/ops/overview')).body.queue
const pause = async (by = client) => (await by.post<Paused>('/1.0/ops/pause')).body.paused
const resume = async () => (await client.post<Paused>('/1.0/ops/resume')).body.paused
const readiness = async (url = service.apiUrl) => (await fetch(`${url}/readyz`)).text()
const auditLines = (action: string) => service.logs().split(`"action":"${action}"`).length - 1

async function submit(fileName: string, more: object = {}): Promise<string> {
  const body = { ...fields, originIds: ['p1'], orgName: org, fileName, ...more }
  const { headers } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  return headers.get('Location') as string
}
const stateOf = async (location: string) => (await client.get<{ state: string }>(location)).body.state
const workerUrl = () => {
  const port = /"port":(\d+),"msg":"listening"/.exec(service.workers[0]?.log() ?? '')?.[1]
  return `http://127.0.0.1:${port}`
}

test('only tokens with all orgs may pause the queue', async () => {
  for (const path of ['/1.0/ops/pause', '/1.0/ops/resume']) {
    expect((await as('one-org').post(path)).status).toBe(403)
  }
  expect((await overview()).paused).toBeNull()
})

test('a paused queue accepts publishes and starts none of them until it is resumed', async () => {
  onTestFinished(async () => void (await resume()))
  const paused = await pause()
  expect(paused).toEqual({ since: expect.any(String), by: 'all' })
  expect(Math.abs(Date.now() - Date.parse(paused?.since as string))).toBeLessThan(60_000)
  expect(await pause(as('second'))).toEqual(paused)
  await expect.poll(() => auditLines('queue.pause')).toBe(1)

  const waiting = await submit('waiting')
  await delay(2_000)
  expect(await stateOf(waiting)).toBe('queued')
  expect(await overview()).toMatchObject({ waiting: 1, paused })
  for (const url of [service.apiUrl, workerUrl()]) {
    await expect.poll(() => readiness(url)).toBe('ok, but the queue is paused\n')
    expect((await measuredAt(url)).sum('packets_queue_paused')).toBe(1)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  }

  const shown = await runCli(['overview'], { PACKETS_URL: service.apiUrl, PACKETS_TOKEN: service.tokens.all as string })
  expect(shown.stdout).toContain(`\npaused: since ${paused?.since}, by all\n`)

  expect(await resume()).toBeNull()
  expect(await resume()).toBeNull()
  await expect.poll(() => auditLines('queue.resume')).toBe(1)
  await expect.poll(() => stateOf(waiting), { timeout: 30_000 }).toBe('succeeded')
  await expect.poll(() => readiness()).toBe('ok\n')
  await expect.poll(async () => (await measuredAt(service.apiUrl)).sum('packets_queue_paused')).toBe(0)
})

test('whoever may see a job sees that the queue is paused, and not who paused it', async () => {
  onTestFinished(async () => void (await resume()))
  const { since } = (await pause()) ?? {}
  const [path, env] = [
    await submit('why'),
    { PACKETS_URL: service.apiUrl, PACKETS_TOKEN: service.tokens.reader as string },
  ]
  const id = path.split('/').at(-1) as string
  const reader = as('reader')
  const pausedOf = async () => (await reader.get<{ paused: unknown }>(path)).body.paused
  expect(await pausedOf()).toEqual({ since })
  const { jobs } = (await reader.get<{ jobs: { id: string; paused: unknown }[] }>('/1.0/jobs?limit=1')).body
  expect(jobs).toEqual([expect.objectContaining({ id, paused: { since } })])
  const line = `the queue is paused since ${since}; the job will start when it is resumed\n`
  expect((await runCli(['job', id], env)).stdout).toContain(line)

  const following = runCli(['job', id, '--follow', '--progress', 'none'], env)
  const stream = fetch(`${service.apiUrl}${path}/events`, { headers: { Authorization: env.PACKETS_TOKEN } })
  const events = stream.then((answer) => answer.text())
  await delay(1_500)
  await resume()
  expect(await events).toMatch(
    new RegExp(`event: job\n(?:.*\n)?data: .*"state":"queued".*"paused":{"since":"${since}"}`),
  )
  const { code, stderr } = await following
  expect([code, stderr.split(line).length - 1]).toEqual([0, 1])
  expect(await pausedOf()).toBeNull()
})

test('a run under way shows the pause at once, and ends during it', async () => {
  onTestFinished(async () => void (await resume()))
  stuck.hold()
  const running = await submit('running', { dbUrl: `bolt://${stuck.address}` })
  await expect.poll(() => stateOf(running), { timeout: 30_000 }).toBe('running')
  const pausedOf = async () => (await client.get<{ paused: unknown }>(running)).body.paused
  expect(await pausedOf()).toBeNull()
  const { since } = (await pause()) ?? {}
  expect(await pausedOf()).toEqual({ since })
  stuck.letGo()
  await expect.poll(() => stateOf(running), { timeout: 30_000 }).toBe('succeeded')
})

test('a pause outlasts the programs', async () => {
  onTestFinished(async () => void (await resume()))
  const paused = await pause()
  const waiting = await submit('across-restarts')
  await service.workers[0]?.stop(40_000)
  const { apiUrl } = await service.startApi()
  await service.startWorker()
  await expect.poll(() => readiness(apiUrl)).toBe('ok, but the queue is paused\n')
  await delay(1_000)
  expect([await stateOf(waiting), (await overview()).paused]).toEqual(['queued', paused])
  await resume()
  await expect.poll(() => stateOf(waiting), { timeout: 30_000 }).toBe('succeeded')
})
