import { globSync, readFileSync } from 'node:fs'
import { appRoutes } from '@bull-board/api/dist/routes.js'
import { describe, expect, inject, test } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import { uniqueName } from '../../dev/requests.ts'
import { scopes } from '../../shared/auth/principal.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'
import { everythingInRedis } from '../support/storage/kept-texts.ts'

const { service } = await ownService({
  tokens: [
    { name: 'ops', orgs: ['*'], scopes: ['ops:read'] },
    { name: 'flooder', orgs: ['*'], scopes: ['ops:read'] },
    { name: 'of one org', orgs: ['acme'], scopes: ['ops:read'] },
    { name: 'all but ops', orgs: ['*'], scopes: scopes.filter((scope) => scope !== 'ops:read') },
  ],
  env: { QUEUE_PAGE: 'on', RATE_LIMIT_PER_MINUTE: '300' },
})
const { client, org, ids, fields } = await prepare(3, service)
const canary = uniqueName('canary')
const credentials = `Basic ${btoa(`neo4j:${canary}`)}`
const publish = async (body: unknown, path = '/1.0/publish/') => {
  const { headers } = await client.post(path, body, { Prefer: 'respond-async' })
  return headers.get('Location')?.split('/').at(-1) as string
}
const request = (fileName: string) => ({ ...fields, credentials, originIds: ids, orgName: org, fileName })
const queued = await publish(request('one'))

const basic = (token: string, user = 'anyone') => `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`
const ask = async (path: string, authorization?: string, method = 'GET') => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  const response = await fetch(service.apiUrl + path, { method, headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const tokens = service.tokens as Record<string, string>
const ops = basic(tokens.ops as string)
const pagePolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
const strictPolicy = "default-src 'none'; frame-ancestors 'none'"

describe('the page is', () => {
  test('absent unless it is switched on', async () => {
    const { apiUrl, tokens: known } = inject('service')
    const paths = ['/queues', '/queues/', '/queues/api/queues']
    const headers = { authorization: basic(known.all as string) }
    const answers = await Promise.all(paths.map((path) => fetch(apiUrl + path, { headers })))
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test('loaded by no program at its start', () => {
    const files = globSync('{api,worker,doctor,shared}/**/*.ts')
    expect(files.filter((file) => /^import [^(]*?'@bull-board/m.test(readFileSync(file, 'utf8')))).toEqual([])
    expect(files.filter((file) => readFileSync(file, 'utf8').includes("import('@bull-board"))).toEqual([
      'api/queue-page.ts',
    ])
  })

  test.each<[string, number, string | undefined]>([
    ['no password', 401, undefined],
    ['a wrong password', 401, basic('wrong')],
    ['an empty password', 401, basic('')],
    ['what is not Basic', 401, `Bearer ${tokens.ops}`],
    ['what is not base64', 401, `Basic ${tokens.ops}:`],
    ['a token as the user', 401, basic('', tokens.ops)],
    ['a token with all other scopes', 403, basic(tokens['all but ops'] as string)],
    ['a token of one org', 403, basic(tokens['of one org'] as string)],
  ])('refused to %s: %i', async (_what, status, authorization) => {
    for (const path of [
      '/queues',
      '/queues/',
      '/queues/api/queues',
      '/queues/static/favicon.ico',
      '/QUEUES/api/queues',
    ]) {
      const answer = await ask(path, authorization)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.headers.get('Content-Security-Policy')).toBe(strictPolicy)
      if (status === 401) expect(answer.headers.get('WWW-Authenticate')).toBe('Basic realm="queues", charset="UTF-8"')
    }
  })

  test('given to a token with ops:read and all orgs, whatever the user, with all that it loads', async () => {
    const page = await ask('/queues', ops)
    expect([page.status, page.headers.get('Content-Security-Policy')]).toEqual([200, pagePolicy])
    expect([page.headers.get('Cache-Control'), page.headers.get('X-Powered-By')]).toEqual(['no-store', null])
    expect((await ask('/queues', basic(tokens.ops as string, ''))).status).toBe(200)
    const sources = [...page.text.matchAll(/(?:src|href)="(static[^"]+)"/g)].map(([, source]) => source)
    expect(sources.length).toBeGreaterThan(4)
    for (const source of sources) expect([source, (await ask(`/queues/${source}`, ops)).status]).toEqual([source, 200])
    expect(page.text).not.toMatch(/<script>|<script src="http|onload=/)
  })

  test('one route in the metrics', async () => {
    const { text } = await ask('/metrics')
    const routes = [...text.matchAll(/packets_http_request_seconds_count\{[^}]*route="([^"]*)"/g)].map(
      ([, route]) => route,
    )
    expect(routes).toContain('/queues')
    const known = ['none', '/queues', ...endpoints.map(({ path }) => path)]
    expect(routes.filter((route) => !known.includes(route as string))).toEqual([])
  })

  test('the only one with its policy', async () => {
    for (const path of ['/livez', '/1.0/jobs', '/queuesx']) {
      expect((await ask(path, ops)).headers.get('Content-Security-Policy')).toBe(strictPolicy)
    }
  })
})

describe('the page shows', () => {
  const readable = appRoutes.api.filter(({ method }) => method === 'get').flatMap(({ route }) => route)
  const filled = (route: string) => `/queues${route.replace(':queueName', 'publish').replace(':jobId', queued)}`

  test('the jobs of the queue, and where the truth about them is', async () => {
    const { text } = await ask('/queues/api/queues?activeQueue=publish&status=prioritized&page=1&jobsPerPage=10', ops)
    const { queues } = JSON.parse(text)
    const shown = queues.map(({ name, readOnlyMode, description }: Record<string, unknown>) => [
      name,
      readOnlyMode,
      description,
    ])
    expect(shown).toEqual([
      ['publish', true, expect.stringContaining('GET /1.0/jobs/{id}')],
      ['packets-callbacks', true, expect.stringContaining('GET /1.0/jobs/{id}')],
    ])
    expect(queues[0].jobs.map(({ id, data }: Record<string, unknown>) => [id, data])).toEqual([
      [queued, { id: queued, version: expect.any(Number) }],
    ])
  })

  test('nothing of a request or its credentials, which are kept elsewhere', async () => {
    const answers = await Promise.all(readable.map((route) => ask(filled(route), ops)))
    const all = answers.map(({ text }) => text).join('\n')
    expect(all).toContain(queued)
    const secrets = [
      canary,
      credentials,
      btoa(`neo4j:${canary}`),
      ...Object.values(tokens),
      String(service.env.SECRET_KEYS),
    ]
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
  })
})

describe('the page changes nothing:', () => {
  const writing = appRoutes.api.flatMap(({ method, route }) =>
    [method]
      .flat()
      .flatMap((one) => (one === 'get' ? [] : [route].flat().map((path) => [one.toUpperCase(), path] as const))),
  )

  /** The keys of the queues, each with its value. */
  async function queueInRedis(): Promise<string[]> {
    const lines = (await everythingInRedis(service.redisUrl)).split('\n')
    return lines.flatMap((key, at) => (key.startsWith('packets:queue:') ? [`${key} ${lines[at + 1]}`] : [])).sort()
  }

  test('all that would is 405', async () => {
    expect(writing.length).toBeGreaterThan(15)
    const before = await queueInRedis()
    for (const [method, route] of writing) {
      const path = `/queues${route}`.replace(':queueName', 'publish').replace(':jobId', queued).replace(/:\w+/, 'x')
      const { status, headers } = await ask(path, ops, method)
      expect([method, path, status, headers.get('Allow')]).toEqual([method, path, 405, 'GET, HEAD'])
    }
    expect(before.join()).toContain(queued)
    expect(await queueInRedis()).toEqual(before)
    expect((await client.get<{ state: string }>(`/1.0/jobs/${queued}`)).body.state).toBe('queued')
  })
})

test('the request limit of tokens holds for the page', async () => {
  const flooder = basic(tokens.flooder as string)
  const statuses = new Set<number>()
  for (let sent = 0; sent <= 300; sent += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/queues/api/queues', flooder)))
    for (const { status } of answers) statuses.add(status)
  }
  expect([...statuses].sort()).toEqual([200, 429])
})
