import { afterAll, expect, inject, test } from 'vitest'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'
import { sendRaw } from '../support/clients/raw-http.ts'
import { ownService } from '../support/programs/own-service.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const { database: redisDatabase, release } = await ownDatabase(inject('stack').redis.url)
afterAll(release)
const { service, client } = await ownService({ redisDatabase, env: { LOG_LEVEL: 'trace' } })
const { apiUrl, tokens } = service
const marker = 'injected-by-test'

/** Percent-encoded text that could end a line, a string or an object of a log. */
const breaks = [`%0d%0a${marker}`, `%0a{%22msg%22:%22${marker}%22}`, `%22,%22${marker}%22:%22`, `%1b[2J${marker}`]
breaks.push(`%e2%80%a8${marker}`, `%c2%85${marker}`, `%00${marker}`, `%5cn${marker}`, `%7d%0a%7b${marker}`)

const lines = () =>
  service.api
    .log()
    .split('\n')
    // The last line is empty, or not completely written yet.
    .slice(0, -1)

/** The keys of a value, at any depth. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
}

function mustBeObjects() {
  for (const line of lines()) {
    const entry: unknown = JSON.parse(line)
    expect([line, typeof entry, Array.isArray(entry)]).toEqual([line, 'object', false])
    expect(keysOf(entry).filter((key) => key.includes(marker))).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(line).not.toMatch(/[\u0000-\u001f\u007f]/)
  }
}

const withParams = everyEndpoint.filter(([, { path }]) => path.includes(':'))

test('names and ids with line endings are logged as strings', async () => {
  for (const [, endpoint] of withParams) {
    const { method, path, body } = requestTo(endpoint, { orgName: 'ORG', fileName: 'FILE', id: 'JOB' })
    for (const odd of breaks) {
      const asked = path.replace(/ORG|FILE|JOB|grn%3A[^/]*|nothing/, odd)
      await client.call(method, asked, method === 'GET' ? undefined : body)
    }
  }
  // A request is logged after its answer.
  await expect.poll(() => lines().length, { timeout: 30_000 }).toBeGreaterThan(withParams.length * breaks.length)
  mustBeObjects()
})

test.each([
  ['a request id', (odd: string) => `X-Request-Id: ${odd}`],
  ['a token', (odd: string) => `Authorization: Bearer ${odd}`],
  ['an Idempotency-Key', (odd: string) => `Idempotency-Key: ${odd}`],
  ['a preference', (odd: string) => `Prefer: ${odd}`],
  ['an agent', (odd: string) => `User-Agent: ${odd}`],
  ['a tag', (odd: string) => `If-Match: ${odd}`],
  ['a host', (odd: string) => `X-Forwarded-Host: ${odd}`],
])('%s with control characters or markup adds no header and no log line', async (_what, header) => {
  const odds = [
    `x\r\nSet-Cookie: ${marker}`,
    `x\nSet-Cookie: ${marker}`,
    `x\rSet-Cookie: ${marker}`,
    `"},"${marker}":{"`,
  ]
  odds.push(`x\u0000${marker}`, `x\u001b[2J${marker}`, `${marker}\u00e9`, `{"msg":"${marker}"}`)
  for (const odd of odds) {
    const own = header('').startsWith('Authorization') ? '' : `Authorization: Bearer ${tokens.all}\r\n`
    const head = `GET /1.0/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${own}${header(odd)}\r\n\r\n`
    const [answered = ''] = (await sendRaw(apiUrl, head)).split('\r\n\r\n')
    expect([odd, answered]).toEqual([odd, expect.stringMatching(/^HTTP\/1\.1 (200|400|401) /)])
    expect(answered).not.toContain(marker)
  }
  mustBeObjects()
})

test('too many headers, long headers and long URLs are refused, and the service keeps running', async () => {
  const auth = `Authorization: Bearer ${tokens.all}\r\n`
  const get = (path: string, headers: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}${headers}\r\n`
  const statusOf = async (head: string) => (await sendRaw(apiUrl, head)).split(' ')[1]
  const many = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: y\r\n`).join('')
  const long = (count: number) => `X-Long: ${'y'.repeat(count)}\r\n`
  const overLimit = 20_000
  expect([
    await statusOf(get('/1.0/jobs', many(overLimit / 8))),
    await statusOf(get('/1.0/jobs', long(overLimit))),
    await statusOf(get(`/1.0/jobs?${'a'.repeat(overLimit)}`, '')),
    await statusOf(get(`/1.0/publish/${'a%2F'.repeat(overLimit / 4)}`, '')),
    await statusOf(get(`/1.0/publish/acme?${'filter=a&'.repeat(1_500)}limit=1`, '')),
    await statusOf(get(`/1.0/jobs?${Array.from({ length: 2_000 }, (_, index) => `k${index}`).join('&')}`, '')),
  ]).toEqual(['431', '431', '431', '431', '400', '400'])
  // The server closes the connection before all of this is sent, so the answer may be lost.
  const huge = [get('/1.0/jobs', many(100_000)), get('/1.0/jobs', long(5_000_000)), `GET /${'a'.repeat(5_000_000)}`]
  for (const head of huge) expect(['431', undefined]).toContain(await statusOf(head))
  expect((await client.get('/1.0/jobs')).status).toBe(200)
})

test('no log contains a token', () => {
  const log = service.logs()
  expect([tokens.all, service.env.S3_SECRET_KEY].filter((secret) => log.includes(secret as string))).toEqual([])
})
