import type { JobProgress, JobRecord } from './record.ts'

/** Hash fields are JSON, except those that scripts compare. */
const bare = ['id', 'state', 'attempt', 'unended']

/** A record's fields as alternating names and values, the form HSET takes. */
export const hashOf = (fields: object): string[] =>
  Object.entries(fields).flatMap(([key, value]) => [key, bare.includes(key) ? String(value) : JSON.stringify(value)])

// Fields that a hash may lack.
const absent = {
  startedAt: null,
  finishedAt: null,
  report: null,
  error: null,
  callback: null,
  generation: null,
  expiresAt: null,
  paused: null,
  cancelling: false,
  begun: false,
  callbackRounds: 0,
  ranMs: 0,
  by: null,
  requestId: null,
  traceparent: null,
}

/** Parses a hash returned by HGETALL. */
export function recordOf({ unended, worker, runs, tickedAt, endedBy, ...hash }: Record<string, string>): JobRecord {
  const fields = Object.entries(hash).map(([key, value]) => [key, bare.includes(key) ? value : JSON.parse(value)])
  return { ...absent, ...Object.fromEntries(fields), attempt: Number(hash.attempt) }
}

/** The progress at the start of an attempt. */
export const progressOf = (phase: JobProgress['phase'], subRequests: number): JobProgress => ({
  phase,
  subRequests,
  subRequestsDone: 0,
  pairs: 0,
  parts: 0,
  bytes: 0,
})
