import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { listen } from '../../../shared/lifecycle/listen.ts'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { createLog } from '../../../shared/observability/log.ts'
import { sendSlowly } from '../../support/clients/raw-http.ts'

const log = createLog('test', 'silent')
const seen: Server[] = []
class SeenReleases extends Releases {
  override add<T>(name: string, resource: T, release: (resource: T) => unknown, limitMs?: number): T {
    seen.push(resource as Server)
    return super.add(name, resource, release, limitMs)
  }
}
const releases = new SeenReleases(log)
afterAll(() => releases.dispose())

const reached: string[] = []
const large = Buffer.alloc(64 * 1024 * 1024)
await listen(
  (request, response) => {
    reached.push(request.url as string)
    if (request.url === '/large') return void response.end(large)
    request.resume().on('end', () => response.end('read'))
  },
  { host: '127.0.0.1', port: 0 },
  log,
  releases,
  { idleMs: 2_000, headersMs: 500, requestMs: 1_000, stuckMs: 1_500, checkedEveryMs: 100 },
)
const [server] = seen as [Server]
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
const limitMs = 20_000

test('a client that sends its headers line by line is cut off', async () => {
  const { answer, isCut, milliseconds } = await sendSlowly(
    url,
    'GET /slow HTTP/1.1\r\nHost: x\r\n',
    'X: y\r\n',
    50,
    limitMs,
  )
  expect([answer.split('\r\n')[0], isCut]).toEqual(['HTTP/1.1 408 Request Timeout', true])
  expect(milliseconds).toBeLessThan(limitMs)
  expect(reached).not.toContain('/slow')
})

test('a client that sends its body byte by byte is cut off', async () => {
  const head = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'
  const { isCut, milliseconds } = await sendSlowly(url, head, 'x', 50, limitMs)
  expect([isCut, reached.includes('/body')]).toEqual([true, true])
  expect(milliseconds).toBeLessThan(limitMs)
})

test('a client that sends nothing at all is cut off', async () => {
  const { isCut, milliseconds } = await sendSlowly(url, '', '', 50, limitMs)
  expect(isCut).toBe(true)
  expect(milliseconds).toBeLessThan(limitMs)
})

test('a client that does not read its response is cut off', async () => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.pause().write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  const open = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  await vi.waitFor(() => expect(reached).toContain('/large'), limitMs)
  expect(await open()).toBe(1)
  await vi.waitFor(async () => expect(await open()).toBe(0), limitMs)
  socket.destroy()
})
