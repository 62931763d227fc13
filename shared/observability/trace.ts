import type { Logger } from './log.ts'

const noTrace = '0'.repeat(32)
const noParent = '0'.repeat(16)

/**
 * Reads a `traceparent` header as W3C Trace Context specifies: in the form of version 00, whatever version it has.
 * @returns null for an invalid header, which callers ignore.
 */
export function parseTraceparent(header: string | undefined): string | null {
  const [, version, traceId, parentId, flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (traceId === noTrace || parentId === noParent) return null
  // Version 00 defines only the flag `sampled`; the others must be passed on as zero.
  return `00-${traceId}-${parentId}-${Number.parseInt(flags, 16) & 1 ? '01' : '00'}`
}

/** The same context, but its log lines carry the ids of the trace, if there is one. */
export function withTrace<Context extends { log: Logger }>(context: Context, traceparent?: string | null): Context {
  if (!traceparent) return context
  const [, traceId, parentSpanId] = traceparent.split('-')
  return { ...context, log: context.log.child({ traceId, parentSpanId }) }
}
