import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * What becomes of a chunk: it is passed on; or its connection is cut; or it is lost; or it is held, whole or its second half, and with
 * it whatever comes on any connection, until the proxy is told to let go.
 */
type Verdict = 'pass' | 'cut' | 'drop' | 'hold' | 'holdHalf'

interface Rules {
  fromClient?: (chunk: Buffer, connection: object) => Verdict
  fromServer?: (chunk: Buffer, connection: object) => Verdict
}

/** Stands between a program and what it connects to, and misbehaves as the test says. */
export interface TcpProxy {
  /** `host:port`. */
  address: string
  /** Lets no byte pass from now on. */
  hold(): void
  /** Everything that was held goes on. */
  letGo(): void
  isHolding(): boolean
  /** Cuts every connection, and each new one as soon as it is made, until told otherwise. */
  refuse(refuses: boolean): void
  /** Passes what the server says a byte at a time, slowly, until told otherwise. */
  drip(drips: boolean): void
  /** New connections go to another server. */
  switchTo(target: string): void
  close(): void
}

const dripMs = 2

export async function startTcpProxy(target: string, rules: Rules = {}): Promise<TcpProxy> {
  let [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let held: (() => void)[] = []
  let isHolding = false
  let isRefusing = false
  let isDripping = false
  /** `from` is paused, so nothing overtakes what is under way. */
  async function dripFrom(from: Socket, to: Socket, chunk: Buffer) {
    from.pause()
    let passed = 0
    for (; isDripping && passed < chunk.length && !to.destroyed; passed++) {
      to.write(chunk.subarray(passed, passed + 1))
      await delay(dripMs)
    }
    to.write(chunk.subarray(passed))
    from.resume()
  }
  const server = createServer((client) => {
    if (isRefusing) return client.destroy()
    const upstream = connect(Number(port), host)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    const join = (from: Socket, to: Socket, rule: Rules['fromClient']) => {
      sockets.add(from)
      from.on('error', cut)
      from.on('close', () => {
        sockets.delete(from)
        cut()
      })
      from.on('data', (chunk) => {
        const verdict = isHolding ? 'hold' : (rule?.(chunk, client) ?? 'pass')
        if (verdict === 'cut') return cut()
        if (verdict === 'drop') return
        if (verdict === 'pass' && isDripping && to === client) return void dripFrom(from, to, chunk)
        if (verdict === 'pass') return void to.write(chunk)
        isHolding = true
        from.pause()
        const passed = verdict === 'holdHalf' ? Math.floor(chunk.length / 2) : 0
        to.write(chunk.subarray(0, passed))
        held.push(() => {
          to.write(chunk.subarray(passed))
          from.resume()
        })
      })
    }
    join(client, upstream, rules.fromClient)
    join(upstream, client, rules.fromServer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      isHolding = true
    },
    letGo() {
      isHolding = false
      for (const goOn of held) goOn()
      held = []
    },
    isHolding: () => isHolding,
    refuse(refuses) {
      isRefusing = refuses
      if (refuses) for (const socket of sockets) socket.destroy()
    },
    drip(drips) {
      isDripping = drips
    },
    switchTo(other) {
      ;[host, port] = other.split(':') as [string, string]
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
