import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'

/** About the offset that the block format adds to relationship ids; floats step by 256 there. */
export const largeIdBase = 2n ** 60n

/** Rewrites a query as if node and relationship ids began at `largeIdBase`. */
export const withLargeIds = (query: string): string =>
  query
    .replace(/\bid\(([\w[\]]+)\) IN (\$?\w+)/g, `@($1) IN [large IN $2 | large - ${largeIdBase}]`)
    .replace(/\bid\(([\w[\]]+)\) = (\$?\w+)/g, `@($1) = $2 - ${largeIdBase}`)
    .replace(/\bid\((startNode\(\w+\)|[\w[\]]+)\)/g, `(${largeIdBase} + @($1))`)
    .replaceAll('@(', 'id(')

/**
 * A proxy in front of Neo4j that rewrites queries so that node and relationship ids appear to start at `largeIdBase`.
 * Tests run on the Community edition, which has no store format with such ids.
 */
export async function startLargeIds(origin: Neo4jAddress): Promise<Neo4jAddress & { stop(): Promise<void> }> {
  const { hostname, port } = new URL(origin.boltUrl)
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const forward = queryRewriter(withLargeIds, (bytes) => upstream.write(bytes))
    client.on('data', forward)
    upstream.on('data', (bytes) => client.write(bytes))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.setNoDelay()
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...origin,
    pid: null,
    boltUrl: `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

const handshakeBytes = 20
/**
 * Offers the manifest handshake. It would add steps that this proxy does not parse, so the next offer replaces it. Zeros
 * would not do: ArcadeDB reads no offer after them.
 */
const manifest = Buffer.from([0, 0, 1, 0xff])
const runSignature = 0x10

/** Forwards a Bolt client's messages to `send`, rewriting the query of each RUN. */
function queryRewriter(rewrite: (query: string) => string, send: (bytes: Buffer) => void) {
  let waiting = Buffer.alloc(0)
  let hasShaken = false
  return (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes])
    if (!hasShaken) {
      if (waiting.length < handshakeBytes) return
      const handshake = Buffer.from(waiting.subarray(0, handshakeBytes))
      for (let at = 4; at < handshakeBytes; at += 4) {
        if (handshake.subarray(at, at + 4).equals(manifest)) handshake.copy(handshake, at, at + 4, at + 8)
      }
      send(handshake)
      waiting = waiting.subarray(handshakeBytes)
      hasShaken = true
    }
    for (let taken = firstMessage(waiting); taken !== null; taken = firstMessage(waiting)) {
      waiting = waiting.subarray(taken.bytes)
      send(inChunks(taken.message[1] === runSignature ? rewritten(taken.message, rewrite) : taken.message))
    }
  }
}

/** The first complete message in the buffer and its encoded length including chunk headers. */
function firstMessage(bytes: Buffer): { message: Buffer; bytes: number } | null {
  const chunks: Buffer[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const size = bytes.readUInt16BE(at)
    at += 2
    if (size === 0) return { message: Buffer.concat(chunks), bytes: at }
    if (at + size > bytes.length) return null
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return null
}

function inChunks(message: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < message.length; at += 0xffff) {
    const chunk = message.subarray(at, at + 0xffff)
    chunks.push(Buffer.from([chunk.length >> 8, chunk.length & 0xff]), chunk)
  }
  return Buffer.concat([...chunks, Buffer.from([0, 0])])
}

/** Rewrites the query of a RUN message: a PackStream string that starts at byte 2. */
function rewritten(message: Buffer, rewrite: (query: string) => string): Buffer {
  const marker = message[2] as number
  const sizeBytes = marker >= 0xd0 && marker <= 0xd2 ? 2 ** (marker - 0xd0) : 0
  const size = sizeBytes === 0 ? marker & 0x0f : message.readUIntBE(3, sizeBytes)
  const from = 3 + sizeBytes
  const query = Buffer.from(rewrite(message.toString('utf8', from, from + size)))
  const head = Buffer.alloc(5, 0xd2)
  head.writeUInt32BE(query.length, 1)
  return Buffer.concat([message.subarray(0, 2), head, query, message.subarray(from + size)])
}
