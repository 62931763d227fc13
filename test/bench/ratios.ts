import { sizesOf } from './graph.ts'
import { median } from './numbers.ts'
import type { Measured } from './results.ts'

/** A target for a ratio of medians over all rounds. */
export interface Ratio {
  name: string
  what: string
  /** Null when a required lane was not measured. */
  value: number | null
  atMost?: boolean
  bar?: number
  stretch?: number
  verdict: 'stretch' | 'pass' | 'miss' | 'reported' | '-'
}

type Rounds = (lane: string) => readonly Measured[]
type Described = Omit<Ratio, 'value' | 'verdict'>
type Pick = (one: Measured) => number

/** The ratios of the measured lanes and their verdicts. */
export function ratiosOf(rounds: Rounds, scale: number): Ratio[] {
  const of = (lane: string, pick: Pick): number | null => {
    const all = rounds(lane).map(pick)
    return all.length === 0 ? null : median(all)
  }
  const field = (name: string) => (one: Measured) => one[name] as number
  const rate: Pick = ({ statements, seconds }) => statements / seconds
  const upsertRate: Pick = ({ seconds }) => sizesOf(scale).relationships / seconds
  const cpu: Pick = ({ clientCpu, statements }) => (clientCpu as number) / statements
  const allCpu: Pick = (one) => perStatement(one, 'clientCpu', 'databaseCpu', 'othersCpu')
  const perStatement = (one: Measured, ...names: string[]) =>
    names.reduce((sum, name) => sum + (one[name] ?? 0), 0) / one.statements
  const byBoth = (...operations: string[]) => operations.flatMap((name) => [`api ${name}`, `worker ${name}`])
  const storeRequests: Pick = (one) => perStatement(one, ...byBoth('put', 'get', 'list', 'copy', 'remove'))
  const lists: Pick = (one) => perStatement(one, ...byBoth('list'))
  const smallCpu: Pick = (one) => perStatement(one, 'apiCpu', 'clientCpu') * 1_000
  const [afterStart, afterPost] = [field('firstPartAfterStart'), field('firstPartAfterPost')]
  const divided = (a: number | null, b: number | null) => (a === null || b === null ? null : a / b)
  // The faster variant is the one to beat.
  const apoc = (name: string, stored = '') => {
    const both = [of(`${name}${stored}`, rate), of(`${name}-slices${stored}`, rate)].filter((one) => one !== null)
    return both.length === 0 ? null : Math.max(...both)
  }
  const [most, least] = [{ atMost: true }, { atMost: false }]

  const ratios: [Described, number | null][] = [
    [
      { name: 'R1', what: "worker's CPU per node statement / driver's per row", ...most, bar: 0.45, stretch: 0.33 },
      divided(of('nodes-1', cpu), of('driver', cpu)),
    ],
    [
      { name: 'R2s', what: 'node statements/s, one worker / APOC, stored', ...least, bar: 1.3, stretch: 1.3 },
      divided(of('nodes-1', rate), apoc('apoc-nodes', '-stored')),
    ],
    [
      { name: 'R2s', what: 'relationship statements/s, the same', ...least, bar: 2, stretch: 2 },
      divided(of('relationships-1', rate), apoc('apoc-relationships', '-stored')),
    ],
    [
      {
        name: 'R2n',
        what: 'node statements/s, one worker / APOC, nodes, which it does not store',
        ...least,
        bar: 1,
        stretch: 1,
      },
      divided(of('nodes-1', rate), apoc('apoc-nodes')),
    ],
    [
      { name: '', what: 'the same, two workers', ...least, bar: 1.2, stretch: 1.2 },
      divided(of('nodes-2', rate), apoc('apoc-nodes')),
    ],
    [
      { name: 'R2r', what: 'relationship statements/s, one worker / APOC, entities', ...least, bar: 1.9, stretch: 1.9 },
      divided(of('relationships-1', rate), apoc('apoc-relationships')),
    ],
    [{ name: '', what: 'the same, two workers' }, divided(of('relationships-2', rate), apoc('apoc-relationships'))],
    [
      { name: '', what: 'the same, one worker, its upserts alone counted' },
      divided(of('relationships-1', upsertRate), apoc('apoc-relationships')),
    ],
    [
      { name: 'R4', what: "worker's peak memory, 1,000,000 / 100,000 pairs", ...most, bar: 1.05, stretch: 1.05 },
      divided(of('memory-1m', field('peakMB')), of('memory-100k', field('peakMB'))),
    ],
    [
      { name: 'R4', what: "worker's peak memory at 1,000,000 pairs, MB", ...most, bar: 170, stretch: 160 },
      of('memory-1m', field('peakMB')),
    ],
    [
      {
        name: 'R5',
        what: 'job start to first staged part, 1,000,000 / 10,000 pairs',
        ...most,
        bar: 1.2,
        stretch: 1.05,
      },
      divided(of('memory-1m', afterStart), of('memory-10k', afterStart)),
    ],
    [{ name: '', what: 'the same from the POST' }, divided(of('memory-1m', afterPost), of('memory-10k', afterPost))],
    [
      { name: 'R6', what: 'throughput with 50 ms on every PUT / without', ...least, bar: 0.95, stretch: 0.97 },
      divided(of('put-50ms', rate), of('put-0ms', rate)),
    ],
    [
      { name: 'R7', what: 'two workers / one, relationships', ...least, bar: 1, stretch: 1.15 },
      divided(of('relationships-2', rate), of('relationships-1', rate)),
    ],
    [
      { name: 'R7', what: "workers' CPU per statement, two / one", ...most, bar: 1.1, stretch: 1.1 },
      divided(of('relationships-2', cpu), of('relationships-1', cpu)),
    ],
    [
      { name: 'R7', what: 'two workers / one, nodes from a mock origin', ...least, bar: 1.6, stretch: 1.6 },
      divided(of('mock-2', rate), of('mock-1', rate)),
    ],
    [
      { name: 'R1m', what: "worker's CPU per node statement, bound to a model / not bound", ...most, bar: 1.03 },
      divided(of('nodes-bound-1', cpu), of('nodes-1', cpu)),
    ],
    [
      { name: 'R13', what: 'CPU of all a pair, a graph selected / its ids listed', ...most, bar: 0.9, stretch: 0.8 },
      divided(of('selected-1', allCpu), of('listed-1', allCpu)),
    ],
    [
      {
        name: 'R13',
        what: "worker's peak memory, 1,000,000 / 100,000 selected nodes",
        ...most,
        bar: 1.05,
        stretch: 1.02,
      },
      divided(of('memory-selected-1m', field('peakMB')), of('memory-selected-100k', field('peakMB'))),
    ],
    [
      {
        name: 'R14',
        what: 'seconds, a packet that may be a base / one that may not',
        ...most,
        bar: 1.1,
        stretch: 1.05,
      },
      divided(of('indexed-1', field('seconds')), of('selected-1', field('seconds'))),
    ],
    [{ name: '', what: 'the same, CPU of all' }, divided(of('indexed-1', allCpu), of('selected-1', allCpu))],
    [
      { name: 'R14', what: 'seconds, a delta of one percent / the whole', ...most, bar: 1, stretch: 0.7 },
      divided(of('delta-1', field('seconds')), of('selected-1', field('seconds'))),
    ],
    [
      { name: 'R14', what: 'bytes, the same', ...most, bar: 0.03, stretch: 0.03 },
      divided(of('delta-1', field('bytes')), of('selected-1', field('bytes'))),
    ],
    [
      { name: 'R14', what: 'seconds of a copy, whole / a delta of one percent', ...least, bar: 3, stretch: 3 },
      divided(of('copy-all', field('seconds')), of('copy-delta', field('seconds'))),
    ],
    [{ name: '', what: 'two workers / one, nodes' }, divided(of('nodes-2', rate), of('nodes-1', rate))],
    [
      { name: 'R8', what: 'submit / queue.add, medians, idle', ...most, bar: 8, stretch: 5 },
      divided(of('submit-idle', field('medianMs')), of('queue-add', field('medianMs'))),
    ],
    [
      { name: '', what: 'one PUT into the store / queue.add, medians, idle' },
      divided(of('store-put', field('medianMs')), of('queue-add', field('medianMs'))),
    ],
    [
      { name: '', what: 'submit / queue.add under two busy exports' },
      divided(of('submit-busy', field('medianMs')), of('queue-add', field('medianMs'))),
    ],
    [{ name: '', what: 'store requests of a small publish' }, of('small-2000', storeRequests)],
    [{ name: '', what: 'lists among them' }, of('small-2000', lists)],
    [{ name: '', what: 'CPU of a small publish, API and workers, ms' }, of('small-2000', smallCpu)],
    [
      { name: 'R9', what: "queue and records, share of the worker's CPU, %", ...most, bar: 3, stretch: 1 },
      of('profile', (one) => ((one.queueShare as number) + (one.requestShare as number)) * 100),
    ],
    [
      { name: '', what: 'the same, without reading the stored request' },
      of('profile', (one) => (one.queueShare as number) * 100),
    ],
    [
      { name: 'R10', what: 'replayed pairs/s, one lane / one awaited query a pair', ...least, bar: 8, stretch: 10 },
      divided(of('replay-one-lane', rate), of('replay-single-pairs', rate)),
    ],
    [
      { name: 'R10', what: 'the same / bare driver, ready rows of 1,000', ...least, bar: 0.75, stretch: 0.9 },
      divided(of('replay-one-lane', rate), of('replay-driver', rate)),
    ],
    [
      { name: 'R10', what: 'four lanes / one lane', ...least, bar: 0.9, stretch: 1 },
      divided(of('replay-four-lanes', rate), of('replay-one-lane', rate)),
    ],
    [
      { name: 'R10', what: 'compared / replayed pairs/s, four lanes', ...least, bar: 1, stretch: 2 },
      divided(of('verify-four-lanes', rate), of('replay-four-lanes', rate)),
    ],
    [
      { name: 'R10', what: 'repeated transactions of four lanes, %', ...most, bar: 15, stretch: 2 },
      of('replay-four-lanes', (one) => ((one.retried as number) / (one.transactions as number)) * 100),
    ],
    [
      { name: 'R10', what: 'peak memory, 1,000,000 / 100,000 pairs', ...most, bar: 1.15, stretch: 1.08 },
      divided(of('replay-memory-1m', field('peakMB')), of('replay-memory-100k', field('peakMB'))),
    ],
    [
      { name: 'R10', what: 'peak memory at 1,000,000 pairs, MB', ...most, bar: 250, stretch: 220 },
      of('replay-memory-1m', field('peakMB')),
    ],
    [
      { name: 'R11', what: 'all, from origin to target, four lanes / APOC', ...least, bar: 10, stretch: 10 },
      divided(of('whole-four-lanes', rate), of('whole-apoc', rate)),
    ],
    [
      { name: 'R11', what: 'a tenth, the same', ...least, bar: 10, stretch: 10 },
      divided(of('tenth-four-lanes', rate), of('tenth-apoc', rate)),
    ],
    [
      { name: 'R11', what: 'all, one lane / bare driver', ...least, bar: 0.8, stretch: 0.8 },
      divided(of('whole-one-lane', rate), of('whole-driver', rate)),
    ],
    [
      { name: 'R11', what: 'the same, four lanes / bare driver', ...least, bar: 1, stretch: 1 },
      divided(of('whole-four-lanes', rate), of('whole-driver', rate)),
    ],
    [{ name: '', what: 'the same, seconds of four lanes' }, of('whole-four-lanes', field('seconds'))],
    [
      {
        name: 'R12',
        what: 'pairs/s into an empty database, convert and importer / replay',
        ...least,
        bar: 2,
        stretch: 3,
      },
      divided(of('restore-import', rate), of('restore-replay', rate)),
    ],
    [
      { name: '', what: 'share of convert in the seconds, %' },
      of('restore-import', (one) => ((one.convertSeconds as number) / one.seconds) * 100),
    ],
  ]
  return ratios.map(([ratio, value]) => ({ ...ratio, value, verdict: verdictOf(ratio, value) }))
}

function verdictOf({ bar, stretch, atMost }: Described, value: number | null): Ratio['verdict'] {
  if (value === null) return '-'
  if (bar === undefined || stretch === undefined) return 'reported'
  const reaches = (limit: number) => (atMost ? value <= limit : value >= limit)
  return reaches(stretch) ? 'stretch' : reaches(bar) ? 'pass' : 'miss'
}
