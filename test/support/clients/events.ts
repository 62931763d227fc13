import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

export interface ReceivedEvent {
  event: string
  id: string
  /** The parsed data. */
  data: unknown
  /** When it arrived, by `performance.now()`. */
  at: number
}

/** An event stream as a client receives it. */
export interface ReceivedEvents {
  status: number
  headers: IncomingMessage['headers']
  events: ReceivedEvent[]
  /** Everything received so far. */
  text(): string
  /** Resolves when the connection is closed, whoever closed it: true if the answer was complete. */
  closed: Promise<boolean>
  /** Stops reading. */
  pause(): void
  hangUp(): void
}

/** Opens an event stream. Resolves when its head has arrived. */
export async function openEvents(
  url: string,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<ReceivedEvents> {
  const sent: ClientRequest = request(url, { headers: { Authorization: `Bearer ${token}`, ...headers } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const events: ReceivedEvent[] = []
  const { promise: closed, resolve: close } = Promise.withResolvers<boolean>()
  let text = ''
  let rest = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    rest += chunk
    // Large events come in many chunks: searched only once they may be whole.
    if (!chunk.includes('\n')) return
    const blocks = rest.split('\n\n')
    rest = blocks.pop() as string
    for (const block of blocks) {
      const [, event, id = '', data] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (event !== undefined) events.push({ event, id, data: JSON.parse(data as string), at: performance.now() })
    }
  })
  response.on('error', () => {}).on('close', () => close(response.complete))
  return {
    status: response.statusCode as number,
    headers: response.headers,
    events,
    text: () => text,
    closed,
    pause: () => void response.pause(),
    hangUp: () => sent.destroy(),
  }
}
