import { createHash } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Message, messageReader, tags } from './bolt-messages.ts'

/**
 * A nearly free origin that replays recorded answers of a real database. A separate program with two ports: one records
 * the traffic between a client and the database named in its environment, the other replays the same bytes for the same
 * queries, each after `delayMs`. An unknown query breaks the connection.
 */
const upstream = JSON.parse(process.env.MOCK_ORIGIN ?? '{}') as { host: string; port: number; delayMs: number }
const answers = new Map<string, Buffer>()
let version: Buffer = Buffer.alloc(4)

/** `SUCCESS {}`: transactions that take longer than when they were recorded are renewed. */
const rolledBack = Buffer.from([0, 3, 0xb1, tags.success, 0xa0, 0, 0])

const handshakeBytes = 20
const manifest = Buffer.from([0, 0, 1, 0xff])

/** Identifies a request: a query by its parameters, a pull by its position, others by their tag. */
function requestKeys(): (message: Message) => string {
  let query = ''
  let pulls = 0
  return ({ tag, payload }) => {
    if (tag === tags.run) {
      query = createHash('sha256').update(payload).digest('base64')
      pulls = 0
      return query
    }
    return tag === tags.pull || tag === tags.discard ? `${query} ${tag} ${pulls++}` : String(tag)
  }
}

/** Forwards the handshake, then every request. Removes the offer of the manifest handshake, which is longer. */
function onRequests(client: Socket, shake: (offers: Buffer) => void, take: (message: Message) => void) {
  const read = messageReader()
  let begin = Buffer.alloc(0)
  let isShaken = false
  client.on('data', (bytes) => {
    let rest = bytes as Buffer
    if (!isShaken) {
      begin = Buffer.concat([begin, rest])
      if (begin.length < handshakeBytes) return
      const offers = Buffer.from(begin.subarray(0, handshakeBytes))
      for (let at = 4; at < handshakeBytes; at += 4)
        if (offers.subarray(at, at + 4).equals(manifest)) offers.fill(0, at, at + 4)
      shake(offers)
      isShaken = true
      rest = begin.subarray(handshakeBytes)
    }
    for (const message of read(rest)) take(message)
  })
}

function record(client: Socket) {
  const server = connect(upstream.port, upstream.host)
  const pending: string[] = []
  const keyOf = requestKeys()
  const read = messageReader()
  let answer: Buffer[] = []
  let isShaken = false
  onRequests(
    client,
    (offers) => server.write(offers),
    (message) => {
      if (message.tag !== tags.goodbye) pending.push(keyOf(message))
      server.write(message.raw)
    },
  )
  server.on('data', (bytes) => {
    client.write(bytes)
    let rest = bytes as Buffer
    if (!isShaken) {
      version = Buffer.from(rest.subarray(0, 4))
      isShaken = true
      rest = rest.subarray(4)
    }
    for (const { tag, raw } of read(rest)) {
      answer.push(Buffer.from(raw))
      if (![tags.success, tags.ignored, tags.failure].includes(tag)) continue
      const key = pending.shift() as string
      if (tag === tags.success) answers.set(key, Buffer.concat(answer))
      answer = []
    }
  })
  bindEnds(client, server)
}

function replay(client: Socket) {
  const keyOf = requestKeys()
  onRequests(
    client,
    () => client.write(version),
    (message) => {
      if (message.tag === tags.goodbye) return client.end()
      const answer = message.tag === tags.rollback ? rolledBack : answers.get(keyOf(message))
      // Timers of equal delay keep their order.
      if (answer && upstream.delayMs > 0) return void setTimeout(() => client.write(answer), upstream.delayMs)
      if (answer) return client.write(answer)
      console.error(`never heard: a request with tag ${message.tag}`)
      client.destroy()
    },
  )
  client.on('error', () => {})
}

function bindEnds(client: Socket, server: Socket) {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('error', () => {})
    from.on('close', () => to.destroy())
  }
}

function listen(serve: (client: Socket) => void): Promise<number> {
  const server = createServer({ noDelay: true }, serve)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

if (process.env.MOCK_ORIGIN) {
  console.log(JSON.stringify({ recording: await listen(record), replaying: await listen(replay) }))
}
