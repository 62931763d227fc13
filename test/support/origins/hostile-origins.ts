import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll } from 'vitest'

const fixtures = join(import.meta.dirname, '../../fixtures')

interface Listening {
  port: number
  /** Number of connections accepted so far. */
  connections(): number
}

/** A server for one test file; `serve` receives each connection. */
export async function listenOn(
  address: string,
  serve: (socket: Socket) => void = () => {},
  isTls = false,
): Promise<Listening> {
  const sockets = new Set<Socket>()
  let count = 0
  const onConnection = (socket: Socket) => {
    count++
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    serve(socket)
  }
  const certificate = () => ({
    cert: readFileSync(join(fixtures, 'self-signed.cert.pem')),
    key: readFileSync(join(fixtures, 'self-signed.key.pem')),
  })
  const server = isTls ? createTlsServer(certificate(), onConnection) : createServer(onConnection)
  server.on('tlsClientError', () => {})
  server.listen(0, address)
  await once(server, 'listening')
  afterAll(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => count }
}

const frozen = `require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, function () {
  console.log(this.address().port)
})`

/** A port that answers nothing, not even a TCP handshake: a stopped server with a full accept queue. */
export async function filteredPort(): Promise<number> {
  const child = spawn(process.execPath, ['-e', frozen], { stdio: ['ignore', 'pipe', 'inherit'] })
  afterAll(() => {
    child.kill('SIGKILL')
  })
  const [line] = await once(child.stdout, 'data')
  const port = Number(line)
  child.kill('SIGSTOP')
  for (let state = ''; !state.startsWith('T'); ) {
    state = execFileSync('ps', ['-o', 'state=', '-p', String(child.pid)], { encoding: 'utf8' }).trim()
  }
  const filling = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  afterAll(() => {
    for (const socket of filling) socket.destroy()
  })
  await once(filling[0] as Socket, 'connect')
  return port
}
