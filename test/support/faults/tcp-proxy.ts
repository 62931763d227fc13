import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Fate of a chunk: pass it on, cut its connection, drop it, or hold all or its second half. Holding also holds all
 * later traffic on any connection until it is released.
 */
type Verdict = 'pass' | 'cut' | 'drop' | 'hold' | 'holdHalf'

interface Rules {
  fromClient?: (chunk: Buffer, connection: object) => Verdict
  fromServer?: (chunk: Buffer, connection: object) => Verdict
}

/** A proxy between a program and a server that misbehaves on demand. */
export interface TcpProxy {
  /** `host:port`. */
  address: string
  /** Holds all traffic from now on. */
  hold(): void
  /** Releases everything that was held. */
  letGo(): void
  isHolding(): boolean
  /** Number of connections accepted so far. */
  connections(): number
  /** Cuts all connections, and each new one immediately, until called with false. */
  refuse(refuses: boolean): void
  /** Forwards server data slowly, byte by byte, until called with false. */
  drip(drips: boolean): void
  /** Directs new connections to another server. */
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
  let connections = 0
  /** `from` is paused so that later data cannot overtake. */
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
    connections++
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
    connections: () => connections,
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
