import { inject } from 'vitest'
import { database } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { buildPacket } from '../../../shared/publish/build-packet.ts'
import { type BuildSizes, defaultSizes } from '../../../shared/read/reading.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import type { Alphabet } from '../../replay/generator/alphabet.ts'

interface Reading {
  batchSize?: number
  sizes?: BuildSizes
}

/** Returns what builds the packet of one request in this process; `change` runs after each part. */
export function buildWhile(address: Neo4jAddress, { a, mappedIndices }: Alphabet) {
  const { origin: originPolicy } = readConfig('worker', inject('service').env)
  return async (
    fields: object,
    change: () => Promise<unknown>,
    { batchSize = 1, sizes = defaultSizes }: Reading = {},
  ): Promise<Pair[]> => {
    const common = { ...database(address, a, 'id'), mappedIndices, returnOnly: true }
    const { request } = parsePublishRequest({ ...common, ...fields })
    const limits = { batchSize, maxPairs: 10_000, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }
    const pairs: Pair[] = []
    let changed = Promise.resolve<unknown>(null)
    const sink = async ({ bytes }: { bytes: Buffer }) => {
      pairs.push(...parsePart(bytes.toString()))
      changed = changed.then(change)
      await changed
    }
    const { signal } = new AbortController()
    const order = { requests: [request], syntax: 'dollar' as const, ...limits }
    await buildPacket(order, { originPolicy, sink, signal, sizes, onProgress() {} })
    return pairs
  }
}
