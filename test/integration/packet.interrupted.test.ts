import { afterAll, expect, inject, test } from 'vitest'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket, type PacketOrder } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { drawRing } from '../support/graphs/social-graph.ts'

const { neo4j } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Person')
const ids = await drawRing(driver, label, 200)
const { request } = parsePublishRequest({
  ...database(neo4j, label, 'id'),
  originIds: ids,
  metadata: true,
  relationships: ['KNOWS'],
  returnOnly: true,
})
const order: PacketOrder = {
  requests: Array.from({ length: 2_000 }, () => request),
  syntax: 'dollar',
  batchSize: 5_000,
  maxPairs: 50_000_000,
  limitSeconds: 600,
  spentSeconds: 0,
  acceptedAt: 0,
}

// Neither at the beginning nor between two reads: the driver closes a connection without notifying its reader.
test.each([1, 2, 3, 5, 8, 13, 21])(
  'a packet aborted while it is being read rejects with the signal’s reason (after %i turns)',
  async (turns) => {
    const stopping = new AbortController()
    let done = 0
    const onProgress = ({ subRequestsDone }: { subRequestsDone: number }) => {
      done = subRequestsDone
      if (done === 2) abortAfter(turns)
    }
    function abortAfter(left: number): void {
      if (left === 0) stopping.abort(new Error('stopped'))
      else setImmediate(abortAfter, left - 1)
    }
    const sink = async () => {}
    const packet = buildPacket(order, { originPolicy, sink, signal: stopping.signal, onProgress })
    await expect(packet).rejects.toThrow('stopped')
    expect(done).toBeLessThan(2_000)
  },
)

test.each([
  ['in one attempt', { limitSeconds: 1 }],
  ['with what earlier attempts took', { spentSeconds: 599 }],
  ['before it begins', { spentSeconds: 700 }],
])('a packet over its time limit %s fails with 504, which names the whole limit', async (_name, times) => {
  const { limitSeconds } = { ...order, ...times }
  const packet = buildPacket(
    { ...order, ...times },
    { originPolicy, sink: async () => {}, signal: new AbortController().signal, onProgress: () => {} },
  )
  const message = `the publish took longer than ${limitSeconds} seconds`
  await expect(packet).rejects.toMatchObject({ status: 504, code: 'jobTimedOut', message })
})
