import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'

/** A span as OTLP has it, with its attributes by key. */
export interface CollectedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  links?: { traceId: string; spanId: string }[]
  status: { code?: number }
  attributes: Record<string, unknown>
}

type Attribute = { key: string; value: Record<string, unknown> }
interface Export {
  resourceSpans: { scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[] })[] }[] }[]
}

/** A collector of OpenTelemetry that takes OTLP as JSON over HTTP, for one test file. */
export async function startCollector(): Promise<{ url: string; spans: CollectedSpan[]; bodies: string[] }> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    for (const { scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
      for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans)) {
        const byKey = attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const)
        spans.push({ ...span, attributes: Object.fromEntries(byKey) })
      }
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, bodies }
}
