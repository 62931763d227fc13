import { afterAll, expect, test } from 'vitest'
import { knownQuery } from '../../../packet/read-back/known-answers.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createKeptOrigins } from '../../../shared/origin/kept-origins.ts'
import { bytesOf, fakeBolt, knownValues, type Reply } from '../../support/origins/fake-bolt.ts'
import { openLocal } from '../../support/origins/open-local.ts'
import { readRows } from '../../support/origins/read-rows.ts'

const end: Reply = { success: { has_more: false } }
const right = knownValues()
const runTag = 0x10

/** An origin that answers the query with these replies. */
async function answering(...replies: Reply[]) {
  const server = await fakeBolt(() => replies, {}, { isSupported: false })
  return { server, open: () => openLocal(server.port) }
}

const refusal = { status: 422, code: 'wrongAnswers', retryable: false }
const wrongly = (what: string) => `dbUrl: the server cannot be an origin, because it answers wrongly: ${what}`

/** The row of FalkorDB 4.16.3, which says that it has as many values as columns. */
function oneTooMany() {
  const message = bytesOf({ record: right.toSpliced(2, 0, null) })
  message[message.indexOf(0xd6) + 4] = right.length
  return { bytes: message }
}

test.each<[string, Reply, string]>([
  ['one null too many after a point', oneTooMany(), 'the value after a point'],
  ['null for a map projection', { record: right.with(5, [null, true]) }, projection()],
  ['null for a map projection of a node', { record: right.with(5, [{ a: 7, z: null }, false]) }, projection()],
  ['further keys', { record: right.with(4, { a: 7, id: 1 }) }, 'properties()'],
  ['a text for a point', { record: right.with(1, 'POINT(1.5 2.5)') }, 'a point'],
  ['a short row', { record: right.slice(0, 3) }, 'a list'],
  ['no row', { bytes: Buffer.alloc(0) }, '0 rows for one'],
  ['a long text', { record: right.with(0, 'x'.repeat(2_000)) }, 'a short query'],
  ['a structure that is none', { record: right.with(1, Buffer.from([0xb1, 0x01])) }, 'values that are none of Bolt'],
])('an origin that answers %s is refused, and the message says what is wrong', async (_what, reply, what) => {
  const { open } = await answering(reply, end)
  await expect(open()).rejects.toMatchObject({ ...refusal, message: wrongly(what) })
})

function projection() {
  return 'a map projection of an element of a list'
}

test('an origin that refuses the query is refused', async () => {
  const { open } = await answering({ failure: 'Neo.ClientError.Statement.SyntaxError' })
  const reason = 'it refuses a query that every supported database answers'
  const message = `dbUrl: the server cannot be an origin, because ${reason}`
  await expect(open()).rejects.toMatchObject({ ...refusal, message })
})

test.each([
  ['Neo.TransientError.General.DatabaseUnavailable', 502, true],
  ['Neo.ClientError.Security.Forbidden', 502, false],
  ['Neo.ClientError.General.InvalidArguments', 502, false],
])('an origin that fails with %s gets the error that every query gets', async (failure, status, retryable) => {
  const { open } = await answering({ failure })
  await expect(open()).rejects.toMatchObject({ status, retryable })
})

test('an origin is checked once for all publishes on kept connections', async () => {
  const server = await fakeBolt((query) => (query === 'RETURN 1' ? [{ record: [1] }, end] : []))
  let keptCount = 0
  const kept = createKeptOrigins({
    set(count) {
      keptCount = count
    },
  })
  afterAll(() => kept.close())
  const allow = [{ kind: 'network', address: '127.0.0.1', prefix: 32, family: 'ipv4', port: server.port }] as const
  const target = { dbUrl: `bolt://127.0.0.1:${server.port}`, credentials: `Basic ${btoa('user:password')}` }
  const settings = { port: server.port, silenceSeconds: 60, stallSeconds: 60, dnsServers: null, kept }
  for (const isReused of [false, true, true]) {
    const origin = await openOrigin(target, { allow: [...allow], ...settings }, 60)
    expect(origin.isReused).toBe(isReused)
    expect(await readRows(origin, 'RETURN 1')).toEqual([[1n]])
    await origin.release()
    await expect.poll(() => keptCount).toBe(1)
  }
  const checks = server.messages.filter((message) => message[1] === runTag && message.includes(knownQuery))
  expect(checks).toHaveLength(1)
})
