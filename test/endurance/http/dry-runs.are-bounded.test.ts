import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { overrides } from '../../../dev/service.ts'
import type { DryRun } from '../../support/clients/dry-run.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { startTcpProxy, type TcpProxy } from '../../support/faults/tcp-proxy.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { everythingInRedis, everythingInTheStore } from '../../support/storage/kept-texts.ts'
import { mustBeNowhere } from '../../support/worlds/kept-secrets.ts'

const scopes = ['publish:read', 'publish:write']
const tokens = ['ann', 'bob', 'cid'].map((name) => ({ name, orgs: ['*'], scopes }))
const silent = await stuckOrigin(1)
// Each request takes several answers, so that some are read, but not all, before it is silent.
let answered = 0
const stuck: TcpProxy = await startTcpProxy(new URL(inject('stack').neo4j.boltUrl).host, {
  fromServer: () => (++answered > 90 ? 'hold' : 'pass'),
})
afterAll(() => stuck.close())
const { service, as, store } = await ownService({
  tokens,
  origins: [silent.address, stuck.address],
  env: overrides({ dryRunSeconds: 55, returnOnlyPairs: 300 }),
})
const { apiUrl: hasty } = await service.startApi(overrides({ dryRunSeconds: 7 }))
const { fields, ids, org, neo4j } = await prepare(200, service)
const multi = ids.map((id) => ({ ...fields, originIds: [id] }))
const at = (address: string) => multi.map((request) => ({ ...request, dbUrl: `bolt://${address}` }))
const path = '/1.0/publish/multi?dryRun=true'
const foresee = async (name: string, body: object, client = as(name)) => {
  const answer = await client.post<{ dryRun: DryRun; error: string }>(path, body)
  return { ...answer, dryRun: answer.body.dryRun }
}
/** A dry run at the API that gives dry runs little time. */
const foreseeHastily = (name: string, body: object) =>
  foresee(name, body, createClient(hasty, service.tokens[name] as string))
/** Asks that API for the names of the silent origin. */
const askNames = (name: string) =>
  createClient(hasty, service.tokens[name] as string).post('/1.0/origin/names', {
    dbUrl: `bolt://${silent.address}`,
    credentials: fields.credentials,
  })
const tooMany = 'this token has too many dry runs under way; try again when one is done'
const residentBytes = async () =>
  Number(/^process_resident_memory_bytes (\S+)/m.exec(await (await fetch(`${hasty}/metrics`)).text())?.[1])

/** Each node makes one upsert, two relationship upserts and a cleanup. */
const whole = { pairs: 4 * ids.length, parts: ids.length / 20 }

test('a dry run of a multi that is cut by pairs reports what was read, and projects the rest', async () => {
  const { dryRun } = await foresee('ann', multi)
  expect(dryRun).toMatchObject({ complete: false, limit: 'pairs', subRequests: ids.length, pairs: 300 })
  expect(dryRun.subRequestsRead).toBe(75)
  expect(dryRun.projected).toMatchObject({ ...whole, by: 'sub-requests' })
  const { bytes } = (await foresee('ann', multi.slice(0, 60))).dryRun
  expect(Math.abs((dryRun.projected?.bytes ?? 0) / ((bytes * ids.length) / 60) - 1)).toBeLessThan(0.2)
})

test('a dry run of one request that is cut projects nothing', async () => {
  const { dryRun } = await foresee('ann', [{ ...fields, originIds: ids }])
  expect(dryRun).toMatchObject({ complete: false, pairs: 300, subRequestsRead: 0, projected: null })
})

test('an origin that hangs ends a dry run in time: what was read, or 504; others of the token are 429', {
  timeout: 60_000,
}, async () => {
  const began = performance.now()
  const held = Promise.all([foreseeHastily('bob', at(silent.address)), foreseeHastily('cid', at(stuck.address))])
  await expect.poll(() => silent.isHolding(), { timeout: 20_000 }).toBe(true)
  const names = askNames('ann')
  const before = await residentBytes()
  const others = await Promise.all(
    Array.from({ length: inject('isLong') ? 1_000 : 100 }, () => foreseeHastily('bob', multi.slice(0, 1))),
  )
  const grown = (await residentBytes()) - before
  // A search for names has the limits of a dry run, and counts as one.
  expect(await askNames('bob')).toMatchObject({ status: 429, body: { detail: tooMany } })
  expect((await foreseeHastily('ann', multi.slice(0, 1))).body.error).toContain(tooMany)
  expect(await names).toMatchObject({ status: 504, body: { detail: 'reading the origin took longer than 7 seconds' } })
  const answers = await held
  expect(performance.now() - began).toBeLessThan(25_000)
  expect(answers[0].body.error).toBe('504 Gateway Timeout: the publish took longer than 7 seconds')
  const { dryRun } = answers[1]
  expect(dryRun).toMatchObject({ complete: false, limit: 'time' })
  expect(dryRun.subRequestsRead).toBeGreaterThan(0)
  expect(Math.abs((dryRun.projected?.pairs ?? 0) / whole.pairs - 1)).toBeLessThan(0.2)
  expect(new Set(others.map(({ body }) => body.error))).toEqual(new Set([`429 Too Many Requests: ${tooMany}`]))
  expect(grown).toBeLessThan(150 * 1024 * 1024)
  // The token is free again.
  silent.letGo()
  expect((await foreseeHastily('bob', multi.slice(0, 1))).status).toBe(200)
})

test('dry runs leave nothing in Redis, in the store or in the logs', async () => {
  const fileName = uniqueName('file')
  const named = multi.slice(0, 40).map((request) => ({ ...request, orgName: org, fileName }))
  expect((await foresee('ann', named)).dryRun).toMatchObject({ complete: true, wouldConflict: false })
  const { credentials } = database(neo4j, '', '')
  const [redis, stored] = [await everythingInRedis(service.redisUrl), await everythingInTheStore(store)]
  const places = [
    ['Redis', redis],
    ['the store', stored],
    ['the logs', service.logs()],
  ] as const
  mustBeNowhere([neo4j.password, credentials.replace('Basic ', ''), fileName], places)
  expect(redis).not.toContain('packets:job:')
  const client = createClient(service.apiUrl, service.tokens.ann as string)
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
