import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { listen } from '../../../../shared/lifecycle/listen.ts'
import { Releases } from '../../../../shared/lifecycle/releases.ts'

/** Far more than an idle machine needs, and far less than what is waited for where the server does not drain. */
const limitMs = 20_000

/** A server that delays each response by `slow` milliseconds, and its log. */
async function started(patience: object, slow: (path: string) => number = () => 0) {
  const lines: { level: string; message: string; port?: number; requests?: number }[] = []
  const note = (level: string) => (fields: object, message: string) => lines.push({ level, message, ...fields })
  const log = { info: note('info'), warn: note('warn') }
  const reached: string[] = []
  const app: RequestListener = async (request, response) => {
    reached.push(request.url as string)
    await delay(slow(request.url as string))
    response.end('whole')
  }
  const releases = new Releases(log)
  const at = { host: '127.0.0.1', port: 0 }
  await listen(app, at, log as unknown as Parameters<typeof listen>[2], releases, patience)
  const { port } = lines.find(({ message }) => message === 'listening') as { port: number }
  const agent = new Agent({ keepAlive: true })
  async function ask(path: string) {
    const sent = get({ host: at.host, port, path, agent })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { connection: response.headers.connection, body: await text(response), reused: sent.reusedSocket }
  }
  return { port, reached, lines, ask, end: () => releases.dispose() }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('requests in progress are completed, even beyond the time limit of other releases', async () => {
  const { ask, reached, lines, end } = await started({ graceMs: 60_000 }, () => 11_000)
  const answer = ask('/slow')
  await vi.waitFor(() => expect(reached).toEqual(['/slow']), limitMs)
  const began = performance.now()
  await end()
  expect(await answer).toMatchObject({ connection: 'close', body: 'whole' })
  expect(performance.now() - began).toBeLessThan(11_000 + limitMs)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

test('a keep-alive client gets `Connection: close`, and its requests are answered until then', async () => {
  const { ask, end } = await started({ drainMs: 5_000 })
  expect(await ask('/first')).toMatchObject({ connection: 'keep-alive' })
  const ended = end()
  await delay(300)
  expect(await ask('/second')).toEqual({ connection: 'close', body: 'whole', reused: true })
  await ended
})

test('a request that arrives on an idle connection as shutdown begins is answered', async () => {
  const { port, end, reached } = await started({ drainMs: 0 })
  const socket = await open(port)
  socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write('GET /second HTTP/1.1\r\nHost: x\r\n\r\n')
  await end()
  await vi.waitFor(() => expect(socket.closed).toBe(true), limitMs)
  expect(reached).toEqual(['/first', '/second'])
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*whole/s)
})

test('connections without a request do not delay shutdown', async () => {
  const { port, ask, end } = await started({ drainMs: 100, graceMs: 60_000 })
  const [silent, part] = [await open(port), await open(port)]
  await ask('/first') // Idle from now on.
  const began = performance.now()
  const ended = end()
  await ended
  expect(performance.now() - began).toBeLessThan(limitMs)
  await vi.waitFor(() => expect([silent.closed, part.closed]).toEqual([true, true]), limitMs)
})

test('requests that exceed the grace period are cut off and logged', async () => {
  const { ask, port, reached, lines, end } = await started({ drainMs: 100, graceMs: 1_000 }, () => 60_000)
  const answer = ask('/endless').catch((error) => error.code)
  const part = await open(port)
  part.write('GET /never HTTP/1.1\r\nHost:')
  await vi.waitFor(() => expect(reached).toEqual(['/endless']), limitMs)
  const began = performance.now()
  await end()
  expect(performance.now() - began).toBeLessThan(limitMs)
  expect(await answer).toBe('ECONNRESET')
  expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([{ message: 'requests cut off', requests: 1 }])
})
