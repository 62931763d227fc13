import { expect } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { type Measured, measuredAt } from '../programs/metrics.ts'
import { ownService } from '../programs/own-service.ts'
import { prepare } from './e2e.ts'

const operations = ['list', 'get', 'put', 'copy', 'remove']

// An API asks for an org again after ten seconds, which a busy machine may need for one publish.
export const untilUndisturbed = { timeout: 90_000 }

/** A service of one API and one worker, and what a publish of one node costs them. */
export async function openSmallPublishes() {
  const { service } = await ownService({ workers: 1 })
  const { client, org, ids, fields } = await prepare(1, service)

  const [, port] = /"port":(\d+),"msg":"listening"/.exec(service.workers[0]?.log() ?? '') ?? []
  const programs = [service.apiUrl, `http://127.0.0.1:${port}`]

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
    // The request is removed after the end is reported.
    await expect.poll(async () => (await requestsToStore()).remove, { timeout: 30_000 }).toBe((before.remove ?? 0) + 1)
    const after = await requestsToStore()
    return Object.fromEntries(
      operations.map((operation) => [operation, (after[operation] ?? 0) - (before[operation] ?? 0)]),
    )
  }

  return { programs, requestsOf }
}
