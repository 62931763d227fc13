import { startOf } from '../../dev/service.ts'
import { describeExit } from '../../dev/stack/processes.ts'
import type { Lane } from './lanes.ts'
import { pairsPerPart, writeParts } from './replay-packet.ts'
import type { ReplayerOrder, ReplayWay } from './replayer.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'

/** The graph as a packet, replayed into the same database next to the original, each round in a new process. */
export const replayLanes: Lane[] = [
  { name: 'replay-one-lane', unit: 'pairs', what: 'the engine, one lane', measure: replayed('one-lane'), most: 1 },
  {
    name: 'replay-four-lanes',
    unit: 'pairs',
    what: 'the engine, four lanes',
    measure: replayed('four-lanes'),
    most: 1,
  },
  { name: 'verify-four-lanes', unit: 'pairs', what: 'compared, four lanes', measure: replayed('verify'), most: 1 },
  {
    name: 'replay-single-pairs',
    unit: 'pairs',
    what: 'one awaited query a pair',
    measure: replayed('single-pairs'),
    most: 1,
  },
  {
    name: 'replay-driver',
    unit: 'pairs',
    what: 'bare driver, ready rows of 1,000',
    measure: replayed('driver'),
    most: 1,
  },
  {
    name: 'replay-memory-100k',
    unit: 'pairs',
    what: '100,000 pairs',
    measure: replayed('four-lanes', 100_000),
    most: 1,
  },
  {
    name: 'replay-memory-1m',
    unit: 'pairs',
    what: '1,000,000 pairs',
    measure: replayed('four-lanes', 1_000_000),
    most: 1,
  },
]

let replayers = 0
let written: string[] | null = null

/** Measures a replay of the whole packet, or of enough of its parts for so many pairs. */
function replayed(way: ReplayWay, pairs?: number) {
  return async ({ run, neo4j, scale }: Setting): Promise<Measured> => {
    written ??= writeParts(run.directory, scale)
    const files = pairs === undefined ? written : chosen(written, (pairs * Math.min(1, scale)) / pairsPerPart)
    const order: ReplayerOrder = { way, files, neo4j }
    const replayer = await run.start({
      name: `replayer-${replayers++}`,
      command: process.execPath,
      args: [...startOf('worker').args.slice(0, -1), 'test/bench/replayer.ts'],
      env: { PATH: process.env.PATH, REPLAYER_ORDER: JSON.stringify(order) },
      cwd: `${import.meta.dirname}/../..`,
    })
    const exit = await replayer.exited
    if (exit.code !== 0) throw new Error(`${way}: ${describeExit(exit)}\n${replayer.tail()}`)
    return JSON.parse(replayer.log().trimEnd().split('\n').at(-1) as string)
  }
}

/** Parts from the whole packet at equal distances, or all of them again and again. */
const chosen = (files: readonly string[], count: number): string[] =>
  Array.from(
    { length: Math.round(count) },
    (_, index) => files[Math.floor(index * Math.max(1, files.length / count)) % files.length] as string,
  )
