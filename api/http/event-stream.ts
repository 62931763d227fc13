import type { Response } from 'express'

// No cache or proxy may store, compress or delay the events.
const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Shorter than the idle timeouts of proxies. */
const keepAliveMs = 15_000
/**
 * Time that an event stream stays open. Beyond this limit the stream ends. The client connects again, so its token is
 * checked again.
 */
const lifetimeMs = 600_000
/**
 * Bytes of events that a client leaves unread in this process. Beyond this limit the connection closes. The buffers of
 * the operating system do not count.
 */
const unreadBytes = 64 * 1024

/** The text of an event. `data` is one line. */
export const eventText = (name: string, id: string, data: string): string =>
  `event: ${name}\nid: ${id}\ndata: ${data}\n\n`

/** An answer of server-sent events. Writing never waits: a client that does not read is disconnected. */
export class EventStream {
  readonly #response: Response
  // Random, so that streams that were opened together do not all end together.
  readonly #endsAt = performance.now() + lifetimeMs * (1 - Math.random() / 10)
  #sentAt = performance.now()

  constructor(response: Response) {
    this.#response = response
  }

  send(text: string): void {
    const { writableEnded, writableLength, req } = this.#response
    if (writableEnded) return
    if (writableLength > unreadBytes) return void req.socket.destroy()
    this.#response.write(text)
    this.#sentAt = performance.now()
  }

  end(text: string): void {
    this.send(text)
    this.#response.end()
  }

  /** Ends the stream before the job has finished: the client connects again in a second. */
  interrupt(): void {
    this.end('retry: 1000\n\n')
  }

  /** Sends a comment on an idle stream, and ends an old one. Call it regularly. */
  keepAlive(): void {
    const now = performance.now()
    if (now >= this.#endsAt) this.interrupt()
    else if (now - this.#sentAt >= keepAliveMs) this.send(': keep-alive\n\n')
  }
}

/** Begins an event stream. `open` gets the stream and returns the function to call when the connection closes. */
export function sendEvents(response: Response, open: (stream: EventStream) => () => void): void {
  if (response.closed) return
  response.writeHead(200, headers)
  if (response.req.method === 'HEAD') return void response.end()
  response.flushHeaders()
  response.once('close', open(new EventStream(response)))
}
