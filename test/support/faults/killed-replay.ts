import { join } from 'node:path'
import { type PacketSource, replay, type Target } from '../../../client/replay/replay.ts'
import { startProcess } from '../../../dev/stack/processes.ts'
import { nodeUpsert, pairOf, partsWithManifest, relationshipUpsert } from '../replay/replaying.ts'

/** What a child process replays, and after how many transactions or parts it kills itself; null for never. */
export interface KilledReplay {
  label: string
  target: Target
  stateFile: string
  lanes: number
  undoDirectory?: string
  killAfter: { transactions: number } | { partsDone: number } | null
}

const people = 40
const ids = Array.from({ length: people }, (_, index) => `p${index}`)
const keptIds = Array.from({ length: 20 }, (_, index) => `kept${index}`)
const after = (index: number, distance: number) => ids[(index + distance) % people]

/** A packet with every kind of pair, in four parts. */
export function packetOf(label: string): PacketSource {
  const node = `(n:\`${label}\` {\`id\`: $baseId})`
  const upserts = ids.map((id) => nodeUpsert(label, id))
  const relationships = ids.flatMap((id, index) =>
    [1, 3].map((distance) => relationshipUpsert(label, id, after(index, distance))),
  )
  const cleanups = ids.map((baseId, index) =>
    pairOf(
      `MATCH ${node}-[r:\`KNOWS\`]->(m) WHERE NOT coalesce(m:\`${label}\` AND m.\`id\` IN $ids_0, false) DELETE r`,
      { baseId, ids_0: [after(index, 1), after(index, 3)] },
    ),
  )
  const creates = ids.slice(0, 20).map((startId, index) => {
    const [a, b] = [`(a:\`${label}\` {\`id\`: $startId})`, `(b:\`${label}\` {\`id\`: $endId})`]
    return pairOf(`MATCH ${a} MATCH ${b} MERGE (a)-[:\`LIKES\`]->(b)`, { startId, endId: after(index, 5) })
  })
  const stamps = keptIds.map((id) =>
    pairOf(`MATCH (n:\`${label}\` {\`id\`: $id}) SET n.\`at\` = $at`, { id, at: 1_700_000_000_000n }),
  )
  const removed = pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids: ['old1', 'old2'] })
  const forgotten = pairOf(`MATCH (n:\`${label}\` {\`id\`: $id}) REMOVE n.\`secret\``, { id: 'kept1' })
  return partsWithManifest(
    [{ label, property: 'id' }],
    [...upserts.slice(0, 25), ...relationships.slice(0, 30)],
    [...upserts.slice(25), ...relationships.slice(30), ...cleanups.slice(0, 10)],
    [...cleanups.slice(10), ...creates, removed],
    [...stamps, forgotten],
  )
}

/** What the target has before: nodes that are stamped, nodes to delete, and a stale relationship of each person. */
export const dirtying = (label: string) => [
  `UNWIND range(0, 19) AS i CREATE (:\`${label}\` {id: 'kept' + i, secret: i})`,
  `CREATE (:\`${label}\` {id: 'old1'})-[:KNOWS]->(:\`${label}\` {id: 'old2'})`,
  `UNWIND range(0, ${people - 1}) AS i CREATE (:\`${label}\` {id: 'p' + i, stale: true})`,
  `MATCH (a:\`${label}\` {stale: true}), (b:\`${label}\` {id: 'p0'}) CREATE (a)-[:KNOWS {stale: true}]->(b)`,
]

/** Runs a replay in a process of its own. @returns whether it was killed. */
export async function replayInChild(order: KilledReplay, directory: string): Promise<boolean> {
  const child = await startProcess({
    name: 'replay',
    command: process.execPath,
    args: ['test/support/faults/killed-replay.ts'],
    env: { ...process.env, KILLED_REPLAY: JSON.stringify(order) },
    cwd: join(import.meta.dirname, '../../..'),
    logFile: join(directory, 'child.log'),
  })
  const { code, signal } = await child.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(child.tail())
  return signal === 'SIGKILL'
}

/** Small, so that there are many transactions, and windows of one part. */
const sizes = { batchRows: 15, windowBytes: 1 }

const order = process.env.KILLED_REPLAY
if (order !== undefined) {
  const { label, target, stateFile, lanes, undoDirectory, killAfter }: KilledReplay = JSON.parse(order)
  await replay(packetOf(label), target, {
    ...sizes,
    lanes,
    createConstraints: true,
    stateFile,
    undoDirectory,
    signal: new AbortController().signal,
    onProgress({ transactions, partsDone }) {
      const done = { transactions, partsDone }
      const isDue = Object.entries(killAfter ?? {}).some(([unit, count]) => done[unit as keyof typeof done] === count)
      if (isDue) process.kill(process.pid, 'SIGKILL')
    },
  })
}
