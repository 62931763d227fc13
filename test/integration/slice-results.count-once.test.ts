import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import {
  discardSlices,
  doneSlices,
  readSliceResult,
  removeRequest,
  storeSliceResult,
} from '../../shared/jobs/stored/results.ts'
import { createSecrets } from '../../shared/jobs/stored/secrets.ts'
import { readPlan, readRequests, storeRequest } from '../../shared/jobs/stored/stored-request.ts'
import { NewerVersionError } from '../../shared/jobs/version.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { secretKeyOf } from '../../shared/redis/keys.ts'
import type { PublishRequest } from '../../shared/request/fields.ts'
import { generationKey, planKey } from '../../shared/storage/keys.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { keysBelow, stagePacket } from '../support/storage/stored-packets.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
afterAll(() => redis.quit())
const storage = await openTestStorage()
const { store } = storage

const newJob = () => ({ id: randomUUID(), orgName: `org-${randomUUID()}` })
const resultOf = (run: string, key: string) => ({
  run,
  parts: [{ key, bytes: 1, pairs: 1, etag: 'e', sha256: '', statements: {} }],
  report: createReport().read(),
  parameterSyntax: 'braces' as const,
  numbers: 'plain' as const,
  observations: [],
})

test('of several runs of a slice the first result counts, even if its answer was lost', async () => {
  const job = newJob()
  const loses: ObjectStore = {
    ...store,
    async create(key, bytes) {
      await store.create(key, bytes)
      return 'lost'
    },
  }
  expect(await readSliceResult(store, job, 3)).toBeNull()
  expect(await storeSliceResult(loses, job, 3, resultOf('one', 'a'))).toBe(true)
  expect(await storeSliceResult(store, job, 3, resultOf('other', 'b'))).toBe(false)
  expect(await readSliceResult(store, job, 3)).toEqual(resultOf('one', 'a'))
  const never: ObjectStore = { ...store, create: async () => 'lost' }
  await expect(storeSliceResult(never, job, 4, resultOf('third', 'c'))).rejects.toMatchObject({ status: 503 })
  expect(await doneSlices(store, job)).toEqual(new Set([3]))
})

test('discarding a failed job removes its parts and the results it stored', async () => {
  const job = newJob()
  const key = `${job.orgName}/.parts/f/.${job.id}/one/00000-00001`
  await store.put(key, Buffer.from('part'))
  await storeSliceResult(store, job, 0, resultOf('one', key))
  const voidable = { ...job, fileName: 'f', order: { latestBefore: 0 } }
  await discardSlices(storage, voidable)
  expect(await store.get(key)).toBeNull()
  await removeRequest(store, job)
  // Only the void generation, which prevents a commit, remains.
  expect(await keysBelow(storage, `${job.orgName}/`)).toEqual([generationKey(`${job.orgName}/f`, 1)])
  expect((await storage.generations.read(`${job.orgName}/f`, 1))?.isVoid).toBe(true)
})

test('the parts of a job stay when one of its runs has committed anyway', async () => {
  const job = { ...newJob(), fileName: 'f', order: { latestBefore: 0 } }
  const manifest = await stagePacket(storage, `${job.orgName}/f`, ['part'], { jobId: job.id })
  await storeSliceResult(store, job, 0, { ...resultOf('one', ''), parts: manifest.parts })
  await storage.generations.commit(`${job.orgName}/f`, manifest, { force: false, taken: () => new Error('taken') })
  await discardSlices(storage, job)
  expect(String(await store.get(manifest.parts[0]?.key ?? ''))).toBe('part')
})

test('each slice reads its own sub-requests, with their credentials, whatever their characters', async () => {
  const job = newJob()
  const secrets = createSecrets(redis, [{ id: 'k1', key: randomBytes(32) }])
  const requests: PublishRequest[] = Array.from({ length: 45 }, (_, index) => ({
    dbUrl: 'bolt://db:7687',
    credentials: `Basic ${btoa(`user${index % 3}:password`)}`,
    mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
    originIds: [`${index} ü\n\u2028 😀`],
  }))
  const { sealedKey } = await storeRequest(store, secrets.encrypt, job, requests)
  await redis.set(secretKeyOf(job.id), sealedKey, 'EX', 600)
  const source = { store, secrets }
  expect(await readRequests(source, job)).toEqual({ requests, model: null })
  const { slices, treatments, credentials } = await readPlan(source, job)
  const read = await Promise.all(
    slices.map(async (slice) => (await readRequests(source, job, slice, credentials)).requests),
  )
  expect(read).toEqual([requests.slice(0, 20), requests.slice(20, 40), requests.slice(40)])
  expect(treatments.length).toBe(1)
  const kept = await Promise.all((await keysBelow(storage, `${job.orgName}/`)).map((key) => store.get(key)))
  expect(kept.map(String).join()).not.toContain('Basic')
})

test('a plan whose treatments name a field that only a newer version knows is left to workers of that version', async () => {
  const job = newJob()
  const planOf = (field: string) => ({ slices: [], treatments: [{ nodeSettings: [{ field, setting: null }] }] })
  const putPlan = (field: string) => store.put(planKey(job.orgName, job.id), Buffer.from(JSON.stringify(planOf(field))))
  await putPlan('dynamicLabels')
  expect(await readPlan({ store }, job)).toEqual(planOf('dynamicLabels'))
  await putPlan('dynamicLabel2')
  await expect(readPlan({ store }, job)).rejects.toThrow(NewerVersionError)
})

test('a missing request and credentials that cannot be decrypted have different errors', async () => {
  const job = newJob()
  const secrets = createSecrets(redis, [{ id: 'k1', key: randomBytes(32) }])
  const source = { store, secrets }
  await expect(readRequests(source, job)).rejects.toMatchObject({ status: 500, code: 'requestGone', retryable: false })
  await expect(readPlan(source, job)).rejects.toMatchObject({ status: 500, code: 'requestGone', retryable: false })
  const request = { dbUrl: 'bolt://db:7687', credentials: 'Basic YTpi', mappedIndices: {}, originIds: ['a'] }
  await storeRequest(store, secrets.encrypt, job, [request])
  await expect(readRequests(source, job)).rejects.toMatchObject({ status: 500, code: 'secretsGone' })
})
