import { startOf } from '../../dev/service.ts'
import { describeExit } from '../../dev/stack/processes.ts'
import type { Lane } from './lanes.ts'
import type { ReaderOrder, Way } from './reader.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'

/** A bare driver and APOC, each round in a new process. */
export const readLanes: Lane[] = [
  { name: 'driver', unit: 'rows', what: 'bare driver, 500 ids a query, for await', measure: read('driver') },
  { name: 'driver-label', unit: 'rows', what: 'bare driver, the whole label', measure: read('driver-label'), most: 1 },
  { name: 'apoc-nodes', unit: 'nodes', what: 'APOC, nodes by id, one call', measure: read('apoc-nodes'), most: 2 },
  {
    name: 'apoc-nodes-slices',
    unit: 'nodes',
    what: 'the same, 5,000 ids a call',
    measure: read('apoc-nodes-slices'),
    most: 2,
  },
  {
    name: 'apoc-relationships',
    unit: 'entities',
    what: 'APOC, nodes by id and their relationships, one call',
    measure: read('apoc-relationships'),
    most: 2,
  },
  {
    name: 'apoc-relationships-slices',
    unit: 'entities',
    what: 'the same, 5,000 ids a call',
    measure: read('apoc-relationships-slices'),
    most: 2,
  },
  {
    name: 'apoc-nodes-stored',
    unit: 'nodes',
    what: 'apoc-nodes, stored in parts of 5,000 statements',
    measure: read('apoc-nodes-stored'),
    most: 2,
  },
  {
    name: 'apoc-nodes-slices-stored',
    unit: 'nodes',
    what: 'the same, 5,000 ids a call',
    measure: read('apoc-nodes-slices-stored'),
    most: 2,
  },
  {
    name: 'apoc-relationships-stored',
    unit: 'entities',
    what: 'apoc-relationships, stored in parts of 5,000 statements',
    measure: read('apoc-relationships-stored'),
    most: 2,
  },
  {
    name: 'apoc-relationships-slices-stored',
    unit: 'entities',
    what: 'the same, 5,000 ids a call',
    measure: read('apoc-relationships-slices-stored'),
    most: 2,
  },
  { name: 'apoc-label', unit: 'nodes', what: 'APOC, the whole label', measure: read('apoc-label'), most: 1 },
  {
    name: 'apoc-label-relationships',
    unit: 'entities',
    what: 'the same with relationships',
    measure: read('apoc-label-relationships'),
    most: 1,
  },
]

// The flags of our workers; without them the driver's rows sometimes cost a third more.
const flags = startOf('worker').args.slice(0, -1)

let readers = 0

function read(way: Way) {
  return async ({ run, neo4j, scale, s3, ours }: Setting): Promise<Measured> => {
    const { boltUrl, username, password, pid } = neo4j
    const { bucket } = ours.service
    const order: ReaderOrder = { way, scale, boltUrl, username, password, databasePid: pid as number, s3, bucket }
    const reader = await run.start({
      name: `reader-${readers++}`,
      command: process.execPath,
      args: [...flags, 'test/bench/reader.ts'],
      env: { PATH: process.env.PATH, READER_ORDER: JSON.stringify(order) },
      cwd: `${import.meta.dirname}/../..`,
    })
    const exit = await reader.exited
    if (exit.code !== 0) throw new Error(`${way}: ${describeExit(exit)}\n${reader.tail()}`)
    return JSON.parse(reader.log().trimEnd().split('\n').at(-1) as string)
  }
}
