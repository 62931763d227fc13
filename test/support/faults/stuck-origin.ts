import { afterAll, inject } from 'vitest'
import type { Version } from '../worlds/versions.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** The origin behind a proxy that can hold its traffic: reads hang until it is released. */
export interface StuckOrigin extends TcpProxy {
  /** Requests for the same graph through the proxy. */
  requestsOf(version: Version): object[]
}

/** @param afterBytes the origin hangs after sending that many bytes, in the middle of the rows. */
export async function stuckOrigin(afterBytes = Number.POSITIVE_INFINITY): Promise<StuckOrigin> {
  let read = 0
  const proxy = await startTcpProxy(new URL(inject('stack').neo4j.boltUrl).host, {
    fromServer(chunk) {
      const before = read
      read += chunk.length
      return before < afterBytes && read >= afterBytes ? 'hold' : 'pass'
    },
  })
  afterAll(() => proxy.close())
  const requestsOf = ({ requests }: Version) =>
    requests.map((request) => ({ ...request, dbUrl: `bolt://${proxy.address}` }))
  return { ...proxy, requestsOf }
}
