import { afterAll, inject } from 'vitest'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** The origin behind a proxy that cuts the connection once, in mid-rows: only relationships have this key. */
export async function breakingOrigin(): Promise<TcpProxy & { hasBroken(): boolean }> {
  let isCut = false
  const proxy = await startTcpProxy(new URL(inject('stack').neo4j.boltUrl).host, {
    fromServer(chunk) {
      if (isCut || !chunk.includes('since')) return 'pass'
      isCut = true
      return 'cut'
    },
  })
  afterAll(() => proxy.close())
  return { ...proxy, hasBroken: () => isCut }
}
