import { expect, test, vi } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { createBudget } from '../../../api/http/body/budget.ts'
import { readingFor } from '../../../api/http/body/reading.ts'
import type { Principal } from '../../../shared/auth/principal.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import { createModels } from '../../../shared/models/repository.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { storePackets } from '../../support/storage/many-packets.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { only } from '../../support/values/only.ts'

const store = openMemoryStore()
// Without markers each packet takes a request.
await storePackets(store, 'unmarked', 300, false)
await storePackets(store, 'marked', 300)

let queries = 0
const database = {
  read: async () => {
    queries++
    return []
  },
  write: async () => [],
  close: async () => {},
}
const records = only<JobRecords>({ briefsOf: async () => [], readMany: async () => [] })
const others = {
  records,
  models: createModels(database),
  longReads: createBudget(Number.POSITIVE_INFINITY, 'long lists', 1),
  listBudget: createBudget(Number.POSITIVE_INFINITY, 'lists'),
}
const context = only<ApiContext>({ ...storageOn(store), ...others })

/** A request of a client, which may leave. */
function client(identity: string) {
  const closed = new AbortController()
  const principal = only<Principal>({ identity })
  const reading = readingFor(context, { signal: closed.signal, principal })
  return { ...reading, leave: () => closed.abort(new Error('the client left')) }
}

const list = ({ packets }: Pick<ApiContext, 'packets'>, org: string) => packets.page(org, [''], { limit: 250 })

async function readLong({ store }: Pick<ApiContext, 'store'>) {
  for (let read = 0; read <= 100; read++) await store.get('key')
}

test('a token runs one long read at a time, and any number of ordinary lists', async () => {
  const ann = client('ann')
  await readLong(ann)
  await expect(readLong(client('ann'))).rejects.toMatchObject({ code: 'tooManyAtOnce', status: 429 })
  await readLong(client('bob'))
  const ordinary = await Promise.all(Array.from({ length: 20 }, () => list(client('ann'), 'marked')))
  expect(ordinary.map(({ names }) => names.length)).toEqual(Array(20).fill(250))
  ann.leave()
  await readLong(client('ann'))
})

test('a list of jobs by state is long beyond six pages', async () => {
  const eve = client('eve')
  for (let page = 0; page < 7; page++) await eve.records.briefsOf([])
  const second = client('eve')
  for (let page = 0; page < 6; page++) await second.records.briefsOf([])
  await expect(second.records.briefsOf([])).rejects.toMatchObject({ code: 'tooManyAtOnce' })
})

test('a token runs one search for more than a hundred texts at a time', async () => {
  const texts = (count: number) => Array.from({ length: count }, (_, at) => `text${at}`)
  const search = ({ packets }: Pick<ApiContext, 'packets'>, count: number) =>
    packets.page('marked', [''], { limit: 10, holding: texts(count) })
  const joe = client('joe')
  await search(joe, 101)
  await expect(search(client('joe'), 101)).rejects.toMatchObject({ code: 'tooManyAtOnce', status: 429 })
  await search(client('joe'), 100)
  joe.leave()
  await search(client('joe'), 101)
})

test('a search ends after its last read, too, when the client leaves', async () => {
  const { packets, leave } = client('zoe')
  const search = async () => {
    store.forget()
    await packets.page('marked', [''], { limit: 300, holding: ['file'] })
    return store.requests.length
  }
  await search()
  const reads = await search()
  let time = 0
  vi.spyOn(performance, 'now').mockImplementation(() => {
    if (store.requests.length === reads) leave()
    time += 100
    return time
  })
  await expect(search().finally(() => vi.restoreAllMocks())).rejects.toThrow('the client left')
  expect(store.requests.length).toBe(reads)
})

test('a page of names ends early at 16 MiB, and the lists of a token are counted until they are sent', async () => {
  const long = openMemoryStore()
  const longest = (at: number) => `${'n'.repeat(190)}/${'n'.repeat(190)}/${'n'.repeat(190)}/${'n'.repeat(190)}/${at}`
  for (let at = 0; at < 25_000; at++) await long.put(`long/${longest(at)}`, Buffer.alloc(0))
  const context = only<ApiContext>({
    ...storageOn(long),
    ...others,
    listBudget: createBudget(128 * 1024 * 1024, 'lists'),
  })
  const closed = new AbortController()
  const input = { signal: closed.signal, principal: only<Principal>({ identity: 'kim' }) }
  const listed = () => readingFor(context, input).packets.page('long', [''], { limit: 100_000 })
  const { names, next } = await listed()
  expect(Buffer.byteLength(names.join(''))).toBeLessThan(16 * 1024 * 1024)
  expect(names.length).toBeGreaterThan(20_000)
  expect(next).not.toBeNull()
  await expect(listed()).rejects.toMatchObject({ code: 'tooManyAtOnce' })
  closed.abort()
  input.signal = new AbortController().signal
  const rest = await readingFor(context, input).packets.page('long', [''], { limit: 100_000, after: next ?? '' })
  expect([names.length + rest.names.length, rest.next]).toEqual([25_000, null])
})

test('no read begins after the client has left', async () => {
  const gone = client('gone')
  const listed = list(gone, 'unmarked')
  gone.leave()
  await expect(listed).rejects.toThrow('the client left')
  store.forget()
  await expect(gone.store.get('key')).rejects.toThrow('the client left')
  await expect(gone.store.hasAny('key')).rejects.toThrow('the client left')
  await expect(gone.generations.current('marked/f')).rejects.toThrow('the client left')
  await expect(gone.records.readMany([])).rejects.toThrow('the client left')
  await expect(gone.models?.ping()).rejects.toThrow('the client left')
  await expect(gone.models?.visibleTo({ orgs: ['*'] }).managers()).rejects.toThrow('the client left')
  expect([store.requests, queries]).toEqual([[], 0])
})
