import { existsSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import { request } from 'node:http'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'

const LIMIT_MS = 2000

/** Whether a Docker engine answers: a `docker` command is not enough. Prints nothing; takes at most two seconds. */
export async function dockerAnswers(): Promise<boolean> {
  const host = process.env.DOCKER_HOST
  if (host === undefined || host === '') {
    const socketPath = sockets().find((path) => existsSync(path))
    return socketPath !== undefined && (await pings({ socketPath }))
  }
  if (!URL.canParse(host)) return false
  const { hostname, port, pathname } = new URL(host)
  if (hostname === '') return pings({ socketPath: pathname })
  const address = { host: hostname, port: Number(port || 2375) }
  // Over TLS the engine requires a client certificate, which testcontainers supplies; an open port is enough here.
  return process.env.DOCKER_TLS_VERIFY ? connects(address) : pings(address)
}

/** The sockets that testcontainers tries, in its order. */
function sockets(): string[] {
  if (process.platform === 'win32') return ['//./pipe/docker_engine']
  const runtime = process.env.XDG_RUNTIME_DIR
  return [
    '/var/run/docker.sock',
    ...(runtime ? [join(runtime, 'docker.sock')] : []),
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
    `/run/user/${process.getuid?.()}/docker.sock`,
  ]
}

function pings(address: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ ...address, path: '/_ping', signal: AbortSignal.timeout(LIMIT_MS) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    ping.on('error', () => resolve(false))
    ping.end()
  })
}

function connects(address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, signal: AbortSignal.timeout(LIMIT_MS) })
    const answer = (value: boolean) => {
      socket.destroy()
      resolve(value)
    }
    socket.on('connect', () => answer(true))
    socket.on('error', () => answer(false))
  })
}
