import { request } from 'node:http'
import { afterAll, expect, inject, test } from 'vitest'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'
import { ownService } from '../support/programs/own-service.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const { database: redisDatabase, release } = await ownDatabase(inject('stack').redis.url)
afterAll(release)
const { service, client, keysBelow } = await ownService({ redisDatabase })
const { tokens, apiUrl } = service
const publishes = { mappedIndices: { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id' }, index: 'P', originIds: ['1'] }
for (const org of ['acme', 'other']) await client.post(`/1.0/publish/${org}`)
await client.post('/1.0/publish/other/delete', { ...publishes, fileName: 'theirs' })
const before = (await keysBelow('')).sort()

// Sent verbatim, without normalization of the path.
const inPaths = [
  ...['..', '%2e%2e', '%2E%2E', '.%2e', '%2e.', '..%2f', '..%2Fother', '%2e%2e%2fother', 'acme%2f..%2fother'],
  ...['acme/../other', 'acme%2F..', '..%5cother', '..%5Cother', 'acme%5c..%5cother', '%5c%5cother', 'acme%2f%2fother'],
  ...[
    '%252e%252e%252fother',
    '..%252fother',
    '%252e%252e',
    '%25252e',
    '%c0%ae%c0%ae%c0%afother',
    '%c0%af',
    '%e0%80%ae',
  ],
  ...[
    '%f0%80%80%ae',
    '%c0%2e',
    '%ff%fe',
    '%ed%a0%80',
    '%uff0e%uff0e',
    '%u002e%u002e',
    '%ef%bc%8e%ef%bc%8e%ef%bc%8fother',
  ],
  ...[
    '%e2%80%a5',
    '%e2%80%a4%e2%80%a4',
    '%e2%88%95other',
    '%e2%81%84other',
    'acme%00',
    'acme%00%2fother',
    '%00',
    'other%00.json',
  ],
  ...[
    '.generations',
    '.parts',
    '.jobs',
    '.org',
    '%2egenerations',
    'acme%2f.generations',
    'acme%2f.parts%2ftheirs',
    '.probe',
  ],
  ...[
    '%2fother',
    'other%2f',
    '%2f',
    'acme%0d%0aX:%20y',
    'acme%0a',
    'acme%09',
    '%7f',
    '%c2%85',
    'e%cc%81',
    '%e2%84%ab',
    '~',
    '~other',
  ],
  ...[
    '%2e',
    '.',
    'acme;other',
    'acme%3b..',
    'acme%3f',
    'acme%23',
    'acme*',
    'acme%2a',
    '%24%7bother%7d',
    'file:%2f%2fother',
  ],
]

const inBodies = [
  ...[
    '..',
    '../other',
    '../../other',
    './other',
    '/other',
    'other/',
    'a//b',
    'a/../b',
    'a/./b',
    '..\\other',
    'a\\b',
    '%2e%2e',
  ],
  ...[
    '%2e%2e%2fother',
    '..%2fother',
    'a%00',
    'a\u0000b',
    'a\u0000.json',
    '.generations',
    'a/.parts/b',
    '.org',
    '.',
    '..\u0000',
  ],
  ...[
    'e\u0301',
    '\u212b',
    '\ud800',
    'a\r\nb',
    'a\nb',
    '\u0085',
    '\u007f',
    'aPart1of1',
    'a'.repeat(201),
    `${'a/'.repeat(460)}a`,
  ],
]

function sendPath(method: string, path: string, body: object | undefined) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const headers = { Authorization: `Bearer ${tokens.all}`, 'Content-Type': 'application/json' }
  const { hostname, port } = new URL(apiUrl)
  const sent = request({ hostname, port, method, path, headers }, (response) => {
    let text = ''
    response.on('data', (chunk) => {
      text += chunk
    })
    response.on('end', () => resolve({ status: response.statusCode as number, text }))
  })
  sent.on('error', reject)
  sent.end(body && JSON.stringify(body))
  return promise
}

const publish = everyEndpoint.filter(([, { path }]) => /:orgName|:fileName/.test(path))

test.each(publish)('%s: no encoding of a name escapes its org', async (_name, endpoint) => {
  for (const field of ['orgName', 'fileName'].filter((field) => endpoint.path.includes(`:${field}`))) {
    const { method, path, body } = requestTo(endpoint, { orgName: 'acme', fileName: 'mine', [field]: 'REPLACED' })
    for (const odd of inPaths) {
      const answer = await sendPath(method, path.replace('REPLACED', odd), body)
      // The name may be valid but unknown, or its path may belong to another endpoint.
      expect([odd, [400, 404, 405].includes(answer.status)]).toEqual([odd, true])
      expect(answer.text).not.toMatch(/DETACH DELETE|X-Amz|theirs"/)
    }
  }
  expect((await keysBelow('')).sort()).toEqual(before)
})

test.each(['/1.0/publish/', '/1.0/publish/multi'])('%s: no name in the body escapes its org', async (path) => {
  const wrap = (fields: object) => (path.endsWith('multi') ? [fields] : fields)
  const request = {
    ...publishes,
    dbUrl: service.env.MANAGER_DB_URL,
    credentials: `Basic ${btoa('a:b')}`,
    metadata: true,
    orgName: 'acme',
    fileName: 'mine',
  }
  for (const odd of inBodies) {
    for (const field of odd === 'aPart1of1' ? ['fileName'] : ['orgName', 'fileName']) {
      const { status } = await client.post(path, wrap({ ...request, [field]: odd }), { Prefer: 'respond-async' })
      expect([field, odd, status]).toEqual([field, odd, 400])
    }
  }
  expect((await keysBelow('')).sort()).toEqual(before)
})

test.each(['delete', 'createrelationships'])('%s: no file name escapes its org', async (kind) => {
  const pairs = { startIndex: 'A', startIdField: 'i', endIndex: 'B', endIdField: 'i', type: 'T' }
  const fields = kind === 'delete' ? publishes : { ...pairs, idPairs: [{ startId: '1', endId: '2' }] }
  for (const fileName of inBodies) {
    const { status } = await client.post(`/1.0/publish/acme/${kind}`, { ...fields, fileName })
    expect([fileName, status]).toEqual([fileName, 400])
  }
  expect((await keysBelow('')).sort()).toEqual(before)
})

test('prefixes and filters reveal nothing hidden or of other orgs', async () => {
  for (const odd of [...inBodies, '.', '', '/']) {
    for (const usePrefixes of [true, false]) {
      const { status, body } = await client.post('/1.0/publish/acme/files', { fileNames: [odd], usePrefixes })
      expect([odd, status, body.fileNames]).toEqual([odd, 200, []])
    }
  }
})
