import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { recordKey } from '../../shared/redis/keys.ts'
import type { JobsSummary } from '../../wire/jobs-summary.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'

interface Page {
  jobs: JobRecord[]
  next: string | null
}

const [acme, other] = [uniqueName('acme'), uniqueName('other')]
const scopes = ['publish:read']
const tokens = [
  { name: 'two', orgs: [`${acme}/sub`, other], scopes },
  { name: 'nested', orgs: [acme, `${acme}/sub`], scopes },
  { name: 'ours', orgs: [acme, other, `${acme}s`], scopes },
  { name: 'none', orgs: [uniqueName('none')], scopes },
]
const { service, client, as } = await ownService({ tokens })
const { fields } = await prepare(3, service)

async function submit(orgName: string): Promise<string> {
  const body = { ...fields, originIds: ['p1'], orgName, fileName: uniqueName('file') }
  const { headers } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  return headers.get('Location')?.split('/').at(-1) as string
}

const list = async (query = '', caller = as('ours')) => (await caller.get<Page>(`/1.0/jobs${query}`)).body
const idsOf = ({ jobs }: Page) => jobs.map(({ id }) => id)

const orgs = [acme, `${acme}/sub`, other, `${acme}/sub/deep`, `${acme}s`, other, acme, `${acme}/sub`]
for (const org of new Set(orgs)) await client.post(`/1.0/publish/${encodeURIComponent(org)}`)
const made: { id: string; org: string }[] = []
for (const org of orgs) made.unshift({ id: await submit(org), org })
const within = (...covered: string[]) =>
  made.filter(({ org }) => covered.some((each) => org === each || org.startsWith(`${each}/`))).map(({ id }) => id)

describe('jobs are listed', () => {
  test('jobs are listed newest first, each as returned by itself', async () => {
    const page = await list('', as('ours'))
    expect(page).toEqual({ jobs: expect.any(Array), next: null })
    expect(idsOf(page)).toEqual(made.map(({ id }) => id))
    // A token of all orgs also sees jobs of other tests.
    const ours = idsOf(await list('?limit=1000')).filter((id) => made.some((job) => job.id === id))
    expect(ours).toEqual(made.map(({ id }) => id))
    const { body } = await client.get<JobRecord>(`/1.0/jobs/${made[0]?.id}`)
    expect(page.jobs[0]).toEqual(body)
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining([
        'id',
        'kind',
        'state',
        'orgName',
        'fileName',
        'createdAt',
        'progress',
        'report',
        'error',
      ]),
    )
    expect(Object.keys(body)).not.toContain('cancelling')
  })

  test('jobs of an org and its sub-directories are listed, but not of orgs whose names begin alike', async () => {
    expect(idsOf(await list(`?orgName=${acme}`))).toEqual(within(acme))
    expect(idsOf(await list(`?orgName=${acme}%2Fsub`))).toEqual(within(`${acme}/sub`))
    expect(idsOf(await list(`?orgName=${acme}s`))).toEqual(within(`${acme}s`))
    expect(await list(`?orgName=${uniqueName('empty')}`, client)).toEqual({ jobs: [], next: null })
  })

  test('a list merges the jobs of the token’s orgs only, each once even if one org is within another', async () => {
    expect(idsOf(await list('', as('two')))).toEqual(within(`${acme}/sub`, other))
    expect(idsOf(await list('', as('nested')))).toEqual(within(acme))
    expect(await list('', as('none'))).toEqual({ jobs: [], next: null })
    expect(idsOf(await list(`?orgName=${acme}%2Fsub%2Fdeep`, as('two')))).toEqual(within(`${acme}/sub/deep`))
    const refused = await as('two').get<{ status: number }>(`/1.0/jobs?orgName=${acme}`)
    expect([refused.status, refused.headers.get('Content-Type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ])
  })

  test.each([1, 2, 3, 5, 7, 8, 1_000])('jobs are listed in pages of %i, without gap or repeat', async (limit) => {
    for (const [caller, expected] of [
      [as('ours'), made.map(({ id }) => id)],
      [as('two'), within(`${acme}/sub`, other)],
    ] as const) {
      const ids: string[] = []
      let pages = 0
      for (let next: string | null = ''; next !== null; pages++) {
        const page: Page = await list(`?limit=${limit}${next === '' ? '' : `&after=${next}`}`, caller)
        expect(page.jobs.length).toBeLessThanOrEqual(limit)
        ids.push(...idsOf(page))
        next = page.next
      }
      expect(ids).toEqual(expected)
      expect(pages).toBe(Math.ceil(expected.length / limit))
    }
  })

  test('jobs are listed by state', async () => {
    const [, second, , fourth] = made
    for (const job of [second, fourth]) await client.post(`/1.0/jobs/${job?.id}/cancel`)
    expect(idsOf(await list('?state=cancelled'))).toEqual([second?.id, fourth?.id])
    expect((await list('?state=queued')).jobs.length).toBe(made.length - 2)
    expect(await list('?state=succeeded')).toEqual({ jobs: [], next: null })
    const first = await list('?state=cancelled&limit=1')
    expect(idsOf(first)).toEqual([second?.id])
    expect(idsOf(await list(`?state=cancelled&limit=1&after=${first.next}`))).toEqual([fourth?.id])
  })

  test('jobs are listed by the state open, which means every unfinished job of the covered orgs', async () => {
    const open = (...covered: string[]) => within(...covered).filter((id) => ![made[1]?.id, made[3]?.id].includes(id))
    expect(idsOf(await list('?state=open'))).toEqual(open(acme, other, `${acme}s`))
    expect(idsOf(await list('?state=open', as('two')))).toEqual(open(`${acme}/sub`, other))
    expect(idsOf(await list(`?state=open&orgName=${acme}`))).toEqual(open(acme))
    expect(await list('?state=open', as('none'))).toEqual({ jobs: [], next: null })
    const ids: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: Page = await list(`?state=open&limit=2${after === '' ? '' : `&after=${after}`}`, as('two'))
      expect(page.jobs.length).toBeLessThanOrEqual(2)
      ids.push(...idsOf(page))
      after = page.next
    }
    expect(ids).toEqual(open(`${acme}/sub`, other))
    expect((await as('two').get(`/1.0/jobs?state=open&orgName=${acme}`)).status).toBe(404)
  })

  test('jobs are found by a part of their id or name, by time and by callback, and summed up alike', async () => {
    const { body: one } = await client.get<JobRecord>(`/1.0/jobs/${made[2]?.id}`)
    const [name, id, time] = [one.fileName.slice(3).toUpperCase(), one.id.slice(9, 20), one.createdAt]
    const later = new Date(Date.parse(time) + 1).toISOString()
    for (const query of [`q=${name}`, `q=${id}`, `since=${time}&until=${later}`, `state=queued&q=${name}`]) {
      expect([query, idsOf(await list(`?${query}`))]).toEqual([query, [one.id]])
      const { body } = await as('ours').get<JobsSummary>(`/1.0/jobs/summary?${query}`)
      expect([query, body.states.queued, body.complete]).toEqual([query, 1, true])
    }
    expect(idsOf(await list(`?until=${time}`))).toEqual(made.slice(3).map((job) => job.id))
    expect(idsOf(await list('?callback=failed'))).toEqual([])
    expect(await list(`?q=${name}`, as('none'))).toEqual({ jobs: [], next: null })
    const { body } = await as('ours').get<JobsSummary>('/1.0/jobs/summary')
    expect(body).toEqual({
      complete: true,
      states: { queued: made.length - 2, running: 0, committing: 0, succeeded: 0, failed: 0, cancelled: 2 },
      callbacks: { due: 0, delivered: 0, failed: 0 },
      causes: [],
    })
    expect((await as('two').get(`/1.0/jobs/summary?orgName=${acme}`)).status).toBe(404)
    const open = await as('two').get<JobsSummary>('/1.0/jobs/summary?state=open')
    expect(open.body.states.queued).toBe((await list('?state=open', as('two'))).jobs.length)
  })

  test('jobs are listed until their records expire', async () => {
    const redis = new Redis(service.redisUrl)
    const [oldest] = made.slice(-1)
    await redis.del(recordKey(oldest?.id as string))
    redis.disconnect()
    expect(idsOf(await list())).toEqual(made.slice(0, -1).map(({ id }) => id))
    expect(idsOf(await list(`?orgName=${acme}`))).not.toContain(oldest?.id)
  })
})

test.each([
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=', 'limit'],
  ['state=done', 'state'],
  ['after=x', 'after'],
  ['after=1.', 'after'],
  ['after=1.a%20b', 'after'],
  ['orgName=%2Fa', 'orgName'],
  ['orgName=a&orgName=b', 'orgName'],
  ['org=a', 'org'],
  ['q=', 'q'],
  ['callback=lost', 'callback'],
  ['since=yesterday', 'since'],
])('%s is refused with a problem that names the parameter', async (query, path) => {
  const { status, headers, body } = await client.get<{ errors: { path: string }[] }>(`/1.0/jobs?${query}`)
  expect([status, headers.get('Content-Type')]).toEqual([400, 'application/problem+json; charset=utf-8'])
  expect(body.errors[0]?.path).toBe(path)
})
