import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

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
  close(): void
}

export async function startTcpProxy(target: string, rules: Rules = {}): Promise<TcpProxy> {
  const [host, port] = target.split(':') as [string, string]
  const sockets = new Set<Socket>()
  let held: (() => void)[] = []
  let isHolding = false
  let isRefusing = false
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
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
