import { afterAll, expect, inject, test, vi } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket, type PacketOrder } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { fakeBolt, type Reply } from '../support/origins/fake-bolt.ts'

const { neo4j } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Person')
const ids = await drawRing(driver, label, 40)
await run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
const requestOf = (fields: object) => parsePublishRequest({ metadata: true, returnOnly: true, ...fields }).request
const requests = inSlices(ids, 10).map((originIds) => requestOf({ ...database(neo4j, label, 'id'), originIds }))
const limits = { maxPairs: 1_000, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }
const orderOf = (some: PacketOrder['requests']): PacketOrder => ({
  requests: some,
  syntax: 'dollar',
  batchSize: 1,
  ...limits,
})
const { signal } = new AbortController()

// The number of buffers of the writer.
const partsUnderWay = 3

/** Number of reads of a packet that nothing blocks. */
async function readsOf(some: PacketOrder['requests']): Promise<number> {
  let reads = 0
  const observe = (operation: string) => {
    if (operation === 'read') reads++
  }
  await buildPacket(orderOf(some), {
    originPolicy: { ...settings, observe },
    sink: async () => {},
    signal,
    onProgress() {},
  })
  return reads
}

/** Builds a packet with a blocked sink until it stalls; `reads` counts the reads completed by then. */
async function blocked(some: PacketOrder['requests'], readsAtLeast: number) {
  const taken = Promise.withResolvers<void>()
  const published: string[] = []
  let [reads, handedOver] = [0, 0]
  const observe = (operation: string) => {
    if (operation === 'read') reads++
  }
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    handedOver++
    await taken.promise
    const { statements } = JSON.parse(bytes.toString()) as { statements: { parameters: { id: string } }[] }
    published.push(...statements.map(({ parameters }) => parameters.id))
  }
  const built = buildPacket(orderOf(some), { originPolicy: { ...settings, observe }, sink, signal, onProgress() {} })
  await vi.waitFor(() => expect([handedOver, reads >= readsAtLeast]).toEqual([partsUnderWay, true]), 60_000)
  // Meanwhile a packet that is not blocked is read and written whole: enough time for an unexpected read.
  await buildPacket(orderOf(requests), { originPolicy: settings, sink: async () => {}, signal, onProgress() {} })
  return {
    reads,
    async take() {
      taken.resolve()
      await built
      return published
    },
  }
}

test('while a request is written and its parts wait for the store, only the next one is read', async () => {
  const [one, both] = [requests.slice(0, 1), requests.slice(0, 2)]
  const alone = await blocked(one, await readsOf(one))
  const two = await blocked(both, await readsOf(both))
  const all = await blocked(requests, two.reads)
  expect(all.reads).toBe(two.reads)
  expect((await alone.take()).toSorted()).toEqual(ids.slice(0, 10).toSorted())
  expect((await two.take()).toSorted()).toEqual(ids.slice(0, 20).toSorted())
  expect((await all.take()).toSorted()).toEqual(ids.toSorted())
})

test('a packet fails with the error of the request read ahead, not with an error that follows from it', async () => {
  const node = [1, ['First'], { id: 'a1' }]
  const asked: string[] = []
  const server = await fakeBolt((query): Reply[] => {
    asked.push(query)
    const end: Reply = { success: { has_more: false } }
    if (query.includes('`Second`')) return [{ failure: 'Neo.ClientError.Statement.SyntaxError' }]
    return query.includes('properties(n)') ? [{ record: node }, end] : [end]
  })
  const originPolicy = {
    allow: [{ kind: 'network' as const, address: '127.0.0.1', prefix: 32, family: 'ipv4' as const, port: server.port }],
    port: server.port,
    silenceSeconds: 60,
    stallSeconds: 60,
    dnsServers: null,
  }
  const [first, second] = ['First', 'Second'].map((index) =>
    requestOf({
      ...database({ ...neo4j, boltUrl: `bolt://127.0.0.1:${server.port}` }, index, 'id'),
      originIds: ['a1'],
    }),
  )
  const order = orderOf([{ ...first, relationships: [] }, second] as PacketOrder['requests'])
  const built = buildPacket(order, { originPolicy, sink: async () => {}, signal, onProgress() {} })
  await expect(built).rejects.toMatchObject({ status: 502, code: 'originRefusedQuery' })
  expect(asked.filter((query) => query.includes('`Second`'))).toHaveLength(1)
})
