import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { overrides } from '../../../dev/service.ts'
import { generationKey, packetName } from '../../../shared/storage/keys.ts'
import type { PacketManifest } from '../../../wire/manifest.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { ownService } from '../../support/programs/own-service.ts'

const { service, client, store, keysBelow } = await ownService()
const { driver, org, fields, label } = await prepare(200, service)
const request = { ...fields, select: [{ label }], orgName: org }
const delta = { base: 'base', deleteMissing: true }

async function submit(changes: object, query = ''): Promise<string> {
  const body = [{ ...request, ...changes }]
  const sent = await client.post(`/1.0/publish/multi${query}`, body, { Prefer: 'respond-async' })
  expect([sent.status, sent.body.error]).toEqual([202, expect.stringContaining('202')])
  return sent.headers.get('Location') as string
}
const endOf = (location: string) => client.followJob(location, 120_000)
const manifestOf = async (fileName: string) =>
  (await client.get<PacketManifest>(`/1.0/publish/${org}/${fileName}/manifest`)).body

/** Runs a worker while `work` runs. */
async function withWorker<Result>(work: () => Promise<Result>): Promise<Result> {
  const worker = await service.startWorker()
  try {
    return await work()
  } finally {
    await worker.stop(20_000)
  }
}

await withWorker(async () => {
  expect(await endOf(await submit({ fileName: 'base', asBase: true }))).toMatchObject({ state: 'succeeded' })
  await run(driver, `MATCH (n:\`${label}\`) WITH n ORDER BY n.id LIMIT 9 DETACH DELETE n`)
  await run(driver, `MATCH (n:\`${label}\`) WITH n ORDER BY n.id LIMIT 30 SET n.changed = true`)
  await endOf(await submit({ fileName: 'calm', ...delta }))
})
const calm = await manifestOf('calm')

test('a worker may be killed at any step of a delta: the packet is the one that nothing disturbed', {
  timeout: 240_000,
}, async () => {
  expect(calm.statements).toMatchObject({ nodeUpsert: 30, nodeDelete: 1 })
  const steps = ['midRead:kill:1', 'partStored:kill:1', 'stateCompared:kill', 'beforeManifest:kill']
  // Each worker takes one job.
  const alone = { WORKER_CONCURRENCY: '1' }
  const workers = await Promise.all(
    steps.map((failpoint) => service.startWorker({ ...overrides({ failpoint }), ...alone })),
  )
  const jobs = await Promise.all(steps.map((_, index) => submit({ fileName: `killed-${index}`, ...delta })))
  const exits = await Promise.all(workers.map(({ exited }) => exited))
  expect(exits.map(({ signal }) => signal)).toEqual(steps.map(() => 'SIGKILL'))
  const ends = await withWorker(() => Promise.all(jobs.map(endOf)))
  expect(ends.map(({ state, attempt }) => [state, attempt])).toEqual(steps.map(() => ['succeeded', 2]))
  for (const [index] of steps.entries()) {
    const { sha256, state, base } = await manifestOf(`killed-${index}`)
    expect([sha256, state?.sha256, base]).toEqual([calm.sha256, calm.state?.sha256, calm.base])
  }
})

test('publishers with one base at the same time, one of which replaces it, all follow what it was', {
  timeout: 120_000,
}, async () => {
  const [own, others] = [
    await submit({ fileName: 'base', ...delta }, '?forceOverwrite=true'),
    await Promise.all([1, 2, 3].map((index) => submit({ fileName: `beside-${index}`, ...delta }))),
  ]
  const ends = await withWorker(() => Promise.all([own, ...others].map(endOf)))
  expect(ends.map(({ state }) => state)).toEqual(Array(4).fill('succeeded'))
  for (const fileName of ['base', 'beside-1', 'beside-2', 'beside-3']) {
    const { sha256, state, base } = await manifestOf(fileName)
    expect([sha256, state?.sha256, base]).toEqual([calm.sha256, calm.state?.sha256, calm.base])
  }
})

test('a base of which something is gone before a run reads it fails the job, and nothing is stored', {
  timeout: 120_000,
}, async () => {
  await withWorker(async () => {
    for (const fileName of ['short', 'shorter']) await endOf(await submit({ fileName, asBase: true }))
  })
  const states = (await keysBelow(`${org}/.parts/short/`)).filter((key) => key.includes('state'))
  expect(states.length).toBeGreaterThan(1)
  const jobs = await Promise.all(['short', 'shorter'].map((base) => submit({ fileName: `after-${base}`, base })))
  await store.remove(states[0] as string)
  await store.remove(generationKey(packetName(org, 'shorter'), 1))
  const ends = await withWorker(() => Promise.all(jobs.map(endOf)))
  expect(ends.map(({ state, error }) => [state, error?.code])).toEqual(Array(2).fill(['failed', 'unusableBase']))
  for (const { error } of ends) expect(error?.message).toContain('has been removed')
  expect((await client.get(`/1.0/publish/${org}/after-short/manifest`)).status).toBe(404)
})
