import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Client, createClient } from '../../../dev/client.ts'
import { type Service, startService } from '../../../dev/service.ts'
import { databaseOfFile } from '../../support/programs/own-service.ts'
import { watchApi } from '../../support/programs/watch-process.ts'
import { serveMemoryStore } from '../../support/servers/memory-s3-server.ts'
import { fileNumbered, storePackets } from '../../support/storage/many-packets.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

// `npm test` takes a fifth of the files.
const count = inject('isLong') ? 100_000 : 20_000
const directory = mkdtempSync(join(tmpdir(), 'large-org-'))
const redisDatabase = await databaseOfFile()
const store = openMemoryStore()
let server: Awaited<ReturnType<typeof serveMemoryStore>>
let service: Service
let client: Client
let watched: ReturnType<typeof watchApi>

beforeAll(async () => {
  server = await serveMemoryStore(store)
  service = await startService(inject('stack'), { directory, workers: 0, redisDatabase, env: server.settings })
  client = createClient(service.apiUrl, service.tokens.all as string)
  await storePackets(store, 'large', count)
  watched = watchApi(service.apiUrl, service.api.pid)
}, 240_000)
afterAll(async () => {
  await service.stop()
  server.close()
  rmSync(directory, { recursive: true })
}, 60_000)

interface Listed {
  fileNames: string[]
  next: string | null
}

/** Prints what a listing costs; the table of the documentation is made of these lines. */
async function measured(title: string, list: () => Promise<number>): Promise<number> {
  store.forget()
  const started = performance.now()
  const names = await list()
  const ms = Math.round(performance.now() - started)
  console.log({ title, names, ms, requests: store.requests.length, ...watched.seen })
  return names
}

const list = async (query: string) => (await client.call<Listed>('GET', `/1.0/publish/large${query}`)).body
const find = async (fileNames: string[], usePrefixes: boolean) =>
  (await client.post<Listed>('/1.0/publish/large/files', { fileNames, usePrefixes })).body
const inPages = async (limit: number) => {
  let names = 0
  for (let after: string | null = ''; after !== null; ) {
    const page: Listed = await list(`?limit=${limit}${after && `&after=${after}`}`)
    names += page.fileNames.length
    after = page.next
  }
  return names
}

test('listing an org of 20,000 or 100,000 files in every way takes bounded memory and delays no other request', async () => {
  const noPrefixes = Array.from({ length: 10_000 }, (_, number) => `${fileNumbered((count / 10_000) * number)}x`)
  const listed = {
    first: await measured('the first 100', async () => (await list('?limit=100')).fileNames.length),
    ten: await measured('ten by prefix', async () => (await find(['2026-11-22-file-01432'], true)).fileNames.length),
    none: await measured(
      '10,000 prefixes without a match',
      async () => (await find(noPrefixes, true)).fileNames.length,
    ),
    filtered: await measured(
      'a filter with one match',
      async () => (await list(`?filter=${count - 1}`)).fileNames.length,
    ),
    whole: await measured('limit=100000', async () => (await list('?limit=100000')).fileNames.length),
    pages: await measured('all pages of 5,000', () => inPages(5_000)),
  }
  expect(listed).toEqual({ first: 100, ten: 10, none: 0, filtered: 1, whole: count, pages: count })
  const { busyMs, residentMB } = await watched.stop()
  expect(residentMB).toBeLessThan(300)
  expect(busyMs).toBeLessThan(200)
}, 300_000)
