import {
  type Attributes,
  context,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { AppError } from '../errors/app-error.ts'

const tracer = trace.getTracer('graph-packets')
const kinds = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

interface SpanOptions {
  kind: keyof typeof kinds
  /** By OpenTelemetry's semantic conventions. Never names of clients' data, credentials or addresses. */
  attributes?: Attributes
  /** `traceparent` of the span that caused this one, perhaps in another process; absent: the current span. */
  parent?: string | null | undefined
  /** `traceparent` of a span to which this one is linked. It then begins a trace of its own. */
  link?: string | null | undefined
}

/** What the work may add to its span. */
export type AddAttributes = (attributes: Attributes) => void

/**
 * Runs `work` in a span, whose children are the spans that it makes. A failure is recorded by its code only, because
 * messages may name ids and properties. Without an OpenTelemetry SDK, which an operator may load, there are no spans.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (add: AddAttributes) => Promise<T>): Promise<T> {
  const { kind, attributes = {}, parent, link } = options
  const linked = spanContextOf(link)
  const remote = spanContextOf(parent)
  const within = remote === null ? context.active() : trace.setSpanContext(context.active(), remote)
  const settings = {
    kind: kinds[kind],
    attributes,
    root: linked !== null,
    links: linked === null ? [] : [{ context: linked }],
  }
  return tracer.startActiveSpan(name, settings, within, async (span) => {
    try {
      return await work((more) => span.setAttributes(more))
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.setAttribute('error.type', error instanceof AppError ? error.code : 'internal')
      throw error
    } finally {
      span.end()
    }
  })
}

/** The `traceparent` of the current span; null if there is none. */
export function currentTraceparent(): string | null {
  const current = trace.getSpanContext(context.active())
  if (current === undefined || !trace.isSpanContextValid(current)) return null
  const isSampled = (current.traceFlags & TraceFlags.SAMPLED) !== 0
  return `00-${current.traceId}-${current.spanId}-${isSampled ? '01' : '00'}`
}

function spanContextOf(traceparent: string | null | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? []
  if (traceId === undefined || spanId === undefined) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16), isRemote: true }
}
