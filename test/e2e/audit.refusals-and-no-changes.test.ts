import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test, vi } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { inTurn } from '../support/clients/dry-run.ts'
import { prepare } from '../support/clients/e2e.ts'

const { apiUrl, tokens, directory } = inject('service')
const { client, org, ids, fields } = await prepare(2)

const logged = () =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('')
const auditedOf = (requestId: string) =>
  logged()
    .split('\n')
    .filter((line) => line.includes(requestId) && line.includes('"audit":true'))
    .map((line) => JSON.parse(line))

const send = async (to: typeof client, method: string, path: string, body?: unknown, headers = {}) => {
  const requestId = randomUUID()
  const { status, headers: answered } = await to.call(method, path, body, { 'X-Request-Id': requestId, ...headers })
  // The API writes the line of a request after all its other lines.
  const isLogged = () => logged().includes(`"requestId":"${requestId}","method":"${method}"`)
  await expect.poll(isLogged, { timeout: 30_000 }).toBe(true)
  return { requestId, status, location: answered.get('Location') }
}
const request = (change: object = {}) => ({
  ...fields,
  originIds: ids,
  orgName: org,
  fileName: uniqueName('f'),
  ...change,
})

describe('no audit line is written for', () => {
  test.each<[string, number, string, object]>([
    ['a dry run', 200, '/1.0/publish/?dryRun=true', request()],
    ['a packet that is only returned', 200, '/1.0/publish/', request({ returnOnly: true, fileName: null })],
    ['a publish that fails', 502, '/1.0/publish/', request({ credentials: `Basic ${btoa('nobody:wrong')}` })],
    ['a body that is not valid', 400, '/1.0/publish/', request({ originIds: 7 })],
    ['a question that is a POST', 200, `/1.0/publish/${org}/files`, {}],
  ])('no audit line is written for %s', async (_what, expected, path, body) => {
    const { status, requestId } = await inTurn(() => send(client, 'POST', path, body))
    expect([status, auditedOf(requestId)]).toEqual([expected, []])
  })

  test('no audit line is written for a publish that was made before under its Idempotency-Key', async () => {
    const body = request()
    const headers = { 'Idempotency-Key': randomUUID() }
    const first = await send(client, 'POST', '/1.0/publish/', body, headers)
    const again = await send(client, 'POST', '/1.0/publish/', body, headers)
    expect([first.status, again.status, again.location]).toEqual([200, 200, first.location])
    // The worker writes its line when it has recorded the end, of which the API hears at that moment.
    await vi.waitFor(() => expect(auditedOf(first.requestId).length).toBe(1))
    expect(auditedOf(again.requestId)).toEqual([])
  })
})

describe('an endpoint that changes something writes a line when it refuses', () => {
  const removal = { method: 'DELETE', route: '/1.0/publish/:orgName/:fileName' }
  const cancel = { method: 'POST', route: '/1.0/jobs/:id/cancel' }

  test.each([
    ['a request without a token', null, removal, 'unauthenticated', null],
    ['an unknown token', 'wrong', removal, 'unauthenticated', null],
    ['a token without the scope', tokens.reader as string, removal, 'scopeMissing', 'reader'],
    ['the org of others', tokens.acme as string, removal, 'noSuchOrg', 'acme'],
    ['a job that is not there, or of others', tokens.acme as string, cancel, 'noSuchJob', 'acme'],
  ])(
    'an endpoint that changes something writes an audit line when it refuses %s',
    async (_what, token, { method, route }, reason, by) => {
      const path = route.replace(':orgName', org).replace(':fileName', 'file').replace(':id', 'no-such-job')
      const { requestId } = await send(createClient(apiUrl, token), method, path)
      const refusal = { action: 'request.refuse', outcome: 'refused', by, requestId, method, route, reason }
      expect(auditedOf(requestId)).toEqual([expect.objectContaining(refusal)])
    },
  )

  test('an endpoint that only reads writes no audit line when it refuses', async () => {
    const { status, requestId } = await send(createClient(apiUrl, 'wrong'), 'GET', '/1.0/jobs')
    expect([status, auditedOf(requestId)]).toEqual([401, []])
  })
})

test('audit lines hold no credentials and no value of the graph', () => {
  const lines = logged()
    .split('\n')
    .filter((line) => line.includes('"audit":true'))
  expect(lines.length).toBeGreaterThan(0)
  const known = [fields.credentials, fields.credentials.replace('Basic ', ''), tokens.all as string]
  expect(known.filter((secret) => lines.some((line) => line.includes(secret)))).toEqual([])
  // Names of other tests, which have lines in the same logs, may contain such short ids.
  const ours = lines.filter((line) => line.includes(org))
  expect(ours.length).toBeGreaterThan(0)
  expect(ids.filter((id) => ours.some((line) => line.includes(`"${id}`)))).toEqual([])
})
