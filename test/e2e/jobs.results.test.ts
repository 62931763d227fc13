import { describe, expect, test } from 'vitest'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { documented } from '../support/clients/documented.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'

const { service, client } = await ownService()
const { org, fields } = await prepare(3, service)
const request = (fileName: string, change: object = {}) => ({
  ...fields,
  originIds: ['p1'],
  orgName: org,
  fileName,
  ...change,
})
const wrongPassword = { credentials: `Basic ${btoa('neo4j:not-the-password')}` }

// Contract 7, job.
const jobFields = [
  'id',
  'kind',
  'state',
  'orgName',
  'fileName',
  'createdAt',
  'startedAt',
  'finishedAt',
  'attempt',
  'progress',
  'report',
  'error',
  'expiresAt',
  'callback',
  'paused',
  'waiting',
  'failures',
]
const progressFields = ['phase', 'subRequests', 'subRequestsDone', 'pairs', 'parts', 'bytes']

test('a job has its fields in the documented order in every state, alone and in a list', async () => {
  const { headers } = await client.post('/1.0/publish/', request('ordered'), { Prefer: 'respond-async' })
  const location = headers.get('Location') as string
  const expectOrdered = async (state: string) => {
    const { body: job } = await client.get<JobRecord>(location)
    const { body: list } = await client.get<{ jobs: JobRecord[] }>(`/1.0/jobs?orgName=${org}&limit=1`)
    expect(job.state).toBe(state)
    for (const each of [job, ...list.jobs]) {
      expect(Object.keys(each)).toEqual(jobFields)
      expect(Object.keys(each.progress)).toEqual(progressFields)
    }
  }
  await expectOrdered('queued')
  const worker = await service.startWorker()
  await client.followJob(location)
  await expectOrdered('succeeded')
  await worker.stop(60_000)
})

describe('the result of a job', () => {
  test('the result of a job that failed is the response of its POST: status, type and body', async () => {
    const worker = await service.startWorker()
    const posted = await client.post('/1.0/publish/', request('failed', wrongPassword))
    const location = posted.headers.get('Location') as string
    const result = await documented(client)('GET', `${location}/result`)
    expect([posted.status, posted.headers.get('Content-Type')]).toEqual([502, 'application/json; charset=utf-8'])
    expect([result.status, result.headers.get('Content-Type')]).toEqual([502, 'application/json; charset=utf-8'])
    expect(result.headers.get('Location')).toBe(location)
    expect(result.text).toBe(posted.text)
    expect(result.body).toEqual({
      transactionRequest: null,
      transactionRequests: null,
      fileLocation: null,
      fileLocations: null,
      fileNames: null,
      error: '502 Bad Gateway: the origin database refused the credentials',
      usePrefixes: null,
    })
    await worker.stop(60_000)
  })

  test('the result of a job that was cancelled is the response of its POST', async () => {
    const { headers } = await client.post('/1.0/publish/', request('cancelled'), { Prefer: 'respond-async' })
    const location = headers.get('Location') as string
    await client.post(`${location}/cancel`)
    const result = await documented(client)('GET', `${location}/result`)
    expect([result.status, result.headers.get('Content-Type')]).toEqual([409, 'application/json; charset=utf-8'])
    expect(result.body).toMatchObject({
      fileLocation: null,
      error: '409 Conflict: the job was cancelled; it has no result',
    })
  })

  test('the result of a job that is unfinished is a 409 problem with Retry-After', async () => {
    const { headers } = await client.post('/1.0/publish/', request('unfinished'), { Prefer: 'respond-async' })
    const result = await documented(client)('GET', `${headers.get('Location')}/result`)
    expect([result.status, result.headers.get('Content-Type'), result.headers.get('Retry-After')]).toEqual([
      409,
      'application/problem+json; charset=utf-8',
      '5',
    ])
    expect(result.body).toMatchObject({ type: 'urn:problem:jobUnfinished' })
  })
})
