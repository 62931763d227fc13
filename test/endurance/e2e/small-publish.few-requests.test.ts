import { expect, test, vi } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { type Measured, measuredAt } from '../../support/programs/metrics.ts'
import { ownService } from '../../support/programs/own-service.ts'

vi.setConfig({ testTimeout: 120_000 })

const { service } = await ownService({ workers: 1 })
const { client, org, ids, fields } = await prepare(1, service)

const [, port] = /"port":(\d+),"msg":"listening"/.exec(service.workers[0]?.log() ?? '') ?? []
const programs = [service.apiUrl, `http://127.0.0.1:${port}`]
const operations = ['list', 'get', 'put', 'copy', 'remove']

async function requestsToStore(): Promise<Record<string, number>> {
  const measured: Measured[] = await Promise.all(programs.map(measuredAt))
  return Object.fromEntries(
    operations.map((operation) => [
      operation,
      measured.reduce((sum, one) => sum + one.sum('packets_store_request_seconds_count', { operation }), 0),
    ]),
  )
}

/** Requests to the store that one publish of one node takes, of the API and the worker together. */
async function requestsOf(path: string, more: object): Promise<Record<string, number>> {
  const before = await requestsToStore()
  const fileName = uniqueName('file')
  const body = { ...fields, originIds: ids.slice(0, 1), orgName: org, fileName, ...more }
  const { headers } = await client.post(path, path.includes('multi') ? [body] : body, { Prefer: 'respond-async' })
  expect((await client.followJob(headers.get('Location') as string)).state).toBe('succeeded')
  // The request is removed after the end is told.
  await expect.poll(async () => (await requestsToStore()).remove, { timeout: 30_000 }).toBe((before.remove ?? 0) + 1)
  const after = await requestsToStore()
  return Object.fromEntries(
    operations.map((operation) => [operation, (after[operation] ?? 0) - (before[operation] ?? 0)]),
  )
}

// An API asks for an org anew after ten seconds, which a busy machine may need for one publish.
const fewest = { list: 3, get: 2, put: 4, copy: 1, remove: 1 }
const isFewest = { timeout: 90_000 }

test('a publish of one node takes eleven requests to the store, three of them lists', async () => {
  await expect.poll(() => requestsOf('/1.0/publish/', {}), isFewest).toEqual(fewest)
})

test('an overwriting one takes ten, two of them lists', async () => {
  const path = '/1.0/publish/multi?batchsize=10&forceOverwrite=true'
  const fileName = uniqueName('file')
  let metadata = true
  const overwrite = () => {
    metadata = !metadata // a file that is the same already is not copied
    return requestsOf(path, { fileName, metadata })
  }
  await overwrite()
  await expect.poll(overwrite, isFewest).toEqual({ ...fewest, list: 2 })
})

test('a worker logs in to an origin once for publishes that follow each other', async () => {
  const opened = async (operation: string) =>
    (await measuredAt(programs[1] as string)).sum('packets_bolt_seconds_count', { database: 'origin', operation })
  await expect
    .poll(async () => {
      const before = await opened('reuse')
      for (let count = 0; count < 2; count++) await requestsOf('/1.0/publish/', {})
      return (await opened('reuse')) - before
    }, isFewest)
    .toBeGreaterThan(0)
  // More than one, where an origin took longer to end a transaction than the next publish to begin one.
  const kept = async () => (await measuredAt(programs[1] as string)).sum('packets_origins_kept')
  await expect.poll(kept).toBeGreaterThan(0)
  await expect.poll(kept, { timeout: 60_000 }).toBe(0)
})
