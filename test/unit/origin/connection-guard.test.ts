import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openOrigin } from '../../../shared/origin/connect.ts'
import type { Lookup } from '../../../shared/origin/lookup.ts'

/** Listens on an address, records its connections, and never responds. */
async function silentServer(address: string): Promise<{ server: Server; sockets: Socket[]; port: number }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    socket.resume()
  })
  server.listen(0, address)
  await once(server, 'listening')
  return { server, sockets, port: (server.address() as AddressInfo).port }
}

let silent: Awaited<ReturnType<typeof silentServer>>
beforeEach(async () => {
  silent = await silentServer('127.0.0.1')
})
afterEach(() => {
  silent.server.close()
  for (const socket of silent.sockets) socket.destroy()
})

const credentials = `Basic ${btoa('user:password')}`

/** Opens an origin by a name that resolves to each of `answers` in turn. @returns the error code and the lookups. */
async function open(
  scheme: string,
  answers: readonly string[][],
  allow: 'host' | '127.0.0.0' | null,
  silenceSeconds = 1,
) {
  const asked: string[] = []
  const lookup: Lookup = async (host) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] as string[]
  }
  const rule = { port: silent.port }
  const policy = {
    port: silent.port,
    silenceSeconds,
    stallSeconds: 60,
    dnsServers: null,
    allow:
      allow === null
        ? null
        : [
            allow === 'host'
              ? { ...rule, kind: 'host' as const, host: 'rebinding.invalid' }
              : { ...rule, kind: 'network' as const, address: allow, prefix: 8, family: 'ipv4' as const },
          ],
  }
  const dbUrl = `${scheme}://rebinding.invalid:${silent.port}`
  const opened = openOrigin({ dbUrl, credentials }, policy, 60, lookup)
  return {
    code: await opened.then(
      () => 'opened',
      ({ code }) => code,
    ),
    asked,
  }
}

describe.each(['bolt', 'bolt+s', 'neo4j', 'neo4j+s'])('%s', (scheme) => {
  test('a name with a private address is not connected to, whatever else it resolves to', async () => {
    for (const answers of [
      [['127.0.0.1']],
      [['127.0.0.1'], ['8.8.8.8']],
      [['8.8.8.8', '127.0.0.1']],
      [['127.0.0.1', '8.8.8.8']],
      [['2606:4700::1111', '::1']],
    ]) {
      expect(await open(scheme, answers, null)).toEqual({ code: 'dbUrlRefused', asked: ['rebinding.invalid'] })
    }
    expect(silent.sockets).toEqual([])
  })

  test('a name is resolved once, and the checked address is the one connected to', async () => {
    const outcome = await open(scheme, [['127.0.0.1'], ['127.0.0.2']], '127.0.0.0')
    expect(outcome).toEqual({ code: 'originUnreachable', asked: ['rebinding.invalid'] })
    expect(silent.sockets.map(({ localAddress }) => localAddress)).toEqual(['127.0.0.1'])
  })

  test('a server that never responds times out, and its connection is closed', async () => {
    const began = performance.now()
    expect((await open(scheme, [['127.0.0.1']], 'host')).code).toBe('originUnreachable')
    expect(performance.now() - began).toBeLessThan(15_000)
    await vi.waitFor(() => expect(silent.sockets.map(({ closed }) => closed)).toEqual([true]), 5_000)
  })
})

test('a name whose lookup never ends times out, without any connection', async () => {
  const never: Lookup = () => new Promise(() => {})
  const policy = { allow: null, port: silent.port, silenceSeconds: 1, stallSeconds: 60, dnsServers: null }
  const dbUrl = `bolt://slow.invalid:${silent.port}`
  const began = performance.now()
  await expect(openOrigin({ dbUrl, credentials }, policy, 60, never)).rejects.toMatchObject({
    status: 502,
    message: 'the origin database could not be reached',
  })
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(silent.sockets).toEqual([])
})
