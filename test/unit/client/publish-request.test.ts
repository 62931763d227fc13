import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const origin = {
  PACKETS_ORIGIN_URL: 'bolt://origin',
  PACKETS_ORIGIN_USER: 'neo4j',
  PACKETS_ORIGIN_PASSWORD: 'pass:word',
}
const accepted = () => ({ status: 202, headers: { Location: '/1.0/jobs/j1' }, body: { error: '202 Accepted' } })
const request = { mappedIndices: { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id' }, orgName: 'acme', fileName: 'p.json' }

async function publish(
  words: string[],
  input: unknown = request,
  variables: Record<string, string> = origin,
  answer = accepted,
) {
  const service = await startFakeService(answer)
  const all = { ...service.variables, ...variables }
  const ran = await runCli(['publish', ...words], all, typeof input === 'string' ? input : JSON.stringify(input))
  return { ...ran, requests: service.requests }
}

test('the origin comes from the environment where the request has none', async () => {
  const { code, stdout, requests } = await publish(['-', '--no-wait'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'j1\n' })
  const credentials = `Basic ${btoa('neo4j:pass:word')}`
  expect(requests[0]?.body).toEqual([{ ...request, dbUrl: 'bolt://origin', credentials }])
  const own = { ...request, dbUrl: 'bolt://own', credentials: 'Basic b3duOm93bg==' }
  expect((await publish(['-', '--no-wait'], own)).requests[0]?.body).toEqual([own])
})

test('ids are cut into sub-requests of 500, each id once', async () => {
  const file = join(emptyDirectory(), 'ids')
  const ids = Array.from({ length: 1_001 }, (_, index) => ` id ${index}`)
  // As an editor of Windows saves it.
  writeFileSync(file, `\ufeff${ids.join('\r\n')}\r\n\r\n${ids[0]}\r\n`)
  const { requests } = await publish(['-', '--no-wait', '--ids', file])
  const body = requests[0]?.body as { originIds: string[] }[]
  expect(body.map(({ originIds }) => originIds.length)).toEqual([500, 500, 1])
  expect(body.flatMap(({ originIds }) => originIds)).toEqual(ids)
})

test('--compression is for every sub-request, whatever the request says', async () => {
  const words = ['-', '--no-wait', '--compression', 'gzip']
  const { requests } = await publish(words, [request, { ...request, compression: 'none' }])
  expect(requests[0]?.body).toMatchObject([{ compression: 'gzip' }, { compression: 'gzip' }])
  const { code, stderr } = await publish(['-', '--compression', 'zip'])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('none, gzip') })
})

test('options name the packet, and force its replacement', async () => {
  const { requests } = await publish(
    ['-', '--no-wait', '--org', 'other', '--name', 'n.json', '--force'],
    [request, request],
  )
  expect(requests[0]?.url).toBe('/1.0/publish/multi?forceOverwrite=true')
  expect(requests[0]?.body).toMatchObject([
    { orgName: 'other', fileName: 'n.json' },
    { orgName: 'other', fileName: 'n.json' },
  ])
})

test.each([
  [['-'], request, {}, 'dbUrl: neither in the request nor in PACKETS_ORIGIN_URL'],
  [['-'], [request, request], {}, '[0].dbUrl: neither'],
  [
    ['-'],
    { ...request, dbUrl: 'x' },
    { PACKETS_ORIGIN_USER: 'a' },
    'credentials: neither in the request nor in PACKETS_ORIGIN_USER and',
  ],
  [
    ['-'],
    { ...request, dbUrl: 'bolt://elsewhere' },
    origin,
    'credentials: a request with a dbUrl needs credentials of its own; the credentials of the environment are for PACKETS_ORIGIN_URL',
  ],
  [
    ['-'],
    [request, { ...request, dbUrl: 'bolt://elsewhere', credentials: null }],
    origin,
    '[1].credentials: a request with a dbUrl needs',
  ],
  [['-'], 'no JSON', origin, 'standard input is not valid JSON: line 1, column 1: expected a value'],
  [['-'], [], origin, 'standard input must hold'],
  [['absent.json'], '', origin, 'absent.json cannot be read (ENOENT)'],
  [['-'], { ...request, returnOnly: true }, origin, 'returnOnly: this command stores the packet'],
  [['-', '--ids', '-'], request, origin, 'standard input can hold the request or the ids'],
  [['-', '--ids', '/dev/null'], request, origin, '--ids: /dev/null has no ids'],
  [['-', '--no-wait', '--progress', 'plain'], request, origin, '--progress cannot be combined with --no-wait'],
] as const)('publish %j is refused before a request is sent: %#', async (words, input, variables, message) => {
  const { code, stdout, stderr, requests } = await publish([...words], input, variables)
  expect({ code, stdout, requests }).toEqual({ code: 2, stdout: '', requests: [] })
  expect(stderr).toContain(`error: ${message}`)
  expect(stderr).toContain('\nusage: packets publish [options] [request]\n')
})

test.each([
  [[request, request], 'needs one request, not a list'],
  [{ ...request, originIds: ['a'] }, 'the request has originIds of its own'],
])('ids are refused where they cannot be used: %#', async (input, message) => {
  const file = join(emptyDirectory(), 'ids')
  writeFileSync(file, 'a\n')
  const { code, stderr } = await publish(['-', '--ids', file], input)
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`--ids: ${message}`) })
})

test('a publish is repeated under one key until it is accepted, as late as Retry-After says', async () => {
  const answers = [
    { status: 503, headers: { 'Retry-After': '2' }, body: { error: '503 Service Unavailable' } },
    'hang up' as const,
    accepted(),
  ]
  const service = await startFakeService(() => answers.shift() ?? accepted())
  const { code, stdout } = await runCli(
    ['publish', '-', '--no-wait'],
    { ...service.variables, ...origin },
    JSON.stringify(request),
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'j1\n' })
  const keys = service.requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys.length).toBe(3)
  expect(new Set(keys).size).toBe(1)
  const [first, second] = service.requests.map(({ at }) => at) as [number, number]
  expect(second - first).toBeGreaterThanOrEqual(1_990)
})

test('a refusal is not repeated, and names no job of somebody else', async () => {
  const refused = () => ({
    status: 409,
    headers: { Location: '/1.0/jobs/theirs' },
    body: { error: '409 Conflict: taken' },
  })
  const { code, stderr, requests } = await publish(['-'], request, origin, refused as unknown as typeof accepted)
  expect({ code, stderr, sent: requests.length }).toEqual({
    code: 7,
    stderr: 'error: the service answered 409 Conflict: taken\n',
    sent: 1,
  })
})

test('a redirect is not followed: the request holds the credentials of the origin', async () => {
  const elsewhere = await startFakeService(accepted)
  const redirect = () => ({ status: 307, headers: { Location: `${elsewhere.url}/1.0/publish/multi` }, body: {} })
  const answer = redirect as unknown as typeof accepted
  const { code, stderr, requests } = await publish(['-', '--no-wait'], request, origin, answer)
  expect(elsewhere.requests).toEqual([])
  expect({ code, stderr, sent: requests.length }).toEqual({
    code: 7,
    stderr: 'error: the service answered 307 Temporary Redirect; redirects are not followed: name the other address\n',
    sent: 1,
  })
})

test('a delta is asked for by its base, with the share that may be deleted', async () => {
  const bodyOf = async (...words: string[]) => (await publish(['-', '--no-wait', ...words])).requests[0]?.body
  expect(await bodyOf('--as-base')).toEqual([expect.objectContaining({ asBase: true })])
  expect(await bodyOf('--base', 'old.json', '--delete-missing')).toMatchObject([
    { base: 'old.json', deleteMissing: true },
  ])
  const share = { base: 'old.json', deleteMissing: { atMost: 0.3 } }
  expect(await bodyOf('--base', 'old.json', '--delete-missing=0.3')).toMatchObject([share])
  expect(await bodyOf()).toEqual([expect.not.objectContaining({ base: expect.anything() })])
})

test.each([
  [['--delete-missing'], '--delete-missing: needs --base'],
  [['--base', 'b', '--delete-missing=0'], 'must be a number above 0, at most 1.'],
  [['--base', 'b', '--delete-missing=30%'], 'must be a number above 0, at most 1.'],
])('options of a delta that have no meaning are refused: %j', async (words, message) => {
  const { code, stderr, requests } = await publish(['-', ...words])
  expect({ code, stderr, requests }).toEqual({ code: 2, stderr: expect.stringContaining(message), requests: [] })
})
