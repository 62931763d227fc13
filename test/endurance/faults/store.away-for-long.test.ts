import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { startS3Proxy } from '../../support/faults/s3-proxy.ts'
import { ownService } from '../../support/programs/own-service.ts'

const seconds = inject('isLong') ? 600 : 40
const proxy = await startS3Proxy(inject('stack').s3.endpoint)
const { service, client } = await ownService({ env: { S3_ENDPOINT: proxy.url }, workers: 2 })
const { org, fields, ids } = await prepare(300, service)
const publish = (fileName: string, originIds: string[]) =>
  client.post('/1.0/publish/', { ...fields, originIds, orgName: org, fileName }, { Prefer: 'respond-async' })
/** Log lines at or above the level of warnings. */
const complaints = (program: RunningProcess) => program.log().match(/"level":[456]0/g)?.length ?? 0

test(`jobs that were accepted before the store was away for ${seconds} seconds succeed, and the logs stay short`, {
  timeout: (seconds + 300) * 1_000,
}, async () => {
  const jobs = await Promise.all(Array.from({ length: 10 }, (_, at) => publish(`f${at}`, ids)))
  expect(jobs.map(({ status }) => status)).toEqual(Array(10).fill(202))
  const programs = [service.api, ...service.workers]
  const before = programs.map(complaints)
  proxy.misbehave(() => ({ status: 503, code: 'ServiceUnavailable' }))
  await delay(seconds * 1_000) // the duration of the outage is what is tested
  expect((await fetch(`${service.apiUrl}/readyz`)).status).toBe(503)
  expect((await publish('refused', ids)).status).toBe(503)
  const minutes = Math.ceil(seconds / 60)
  programs.forEach((program, at) => {
    expect(complaints(program) - (before[at] ?? 0)).toBeLessThanOrEqual(10 * minutes)
  })
  proxy.behave()
  const ends = await Promise.all(
    jobs.map(({ headers }) => client.followJob(headers.get('Location') as string, 240_000)),
  )
  expect(ends.map(({ state, error }) => [state, error])).toEqual(Array(10).fill(['succeeded', null]))
  expect((await fetch(`${service.apiUrl}/readyz`)).status).toBe(200)
})
