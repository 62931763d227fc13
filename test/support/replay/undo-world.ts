import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, inject } from 'vitest'
import { readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { nodeUpsert, partsWithManifest, relationshipUpsert, replayed } from './replaying.ts'

export const refusal = (message: string) => ({ kind: 'refused', message: expect.stringContaining(message) })

/** A packet of three parts, and before each test a target with two of its nodes, for replays with an undo. */
export async function openUndoWorld() {
  const { target } = inject('stack') as { target: Neo4jAddress }
  const driver = openDriver(target)
  const label = uniqueName('Saved')
  const home = await mkdtemp(join(tmpdir(), 'undo-'))
  const [stateFile, undoDirectory] = [join(home, 'state.json'), join(home, 'undo')]
  const many = (name: string) => Array.from({ length: 20 }, (_, index) => nodeUpsert(label, `${name}${index}`))
  const constraints = [{ label, property: 'id' }]
  const source = partsWithManifest(
    constraints,
    many('a'),
    [relationshipUpsert(label, 'a0', 'b0'), ...many('b')],
    many('c'),
  )
  const usual = { createConstraints: true, stateFile, windowBytes: 1, batchRows: 5, lanes: 1 }
  const options = { ...usual, undoDirectory }
  const graph = () => readGraph(driver, label)
  const clear = () => run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)

  beforeEach(async () => {
    await clear()
    await rm(stateFile, { force: true })
    await rm(undoDirectory, { recursive: true, force: true })
    await run(driver, `CREATE (:\`${label}\` {id: 'a0', old: 1.0}), (:\`${label}\` {id: 'b1', old: 2})`)
  })
  afterAll(async () => {
    await clear()
    await driver.close()
    await rm(home, { recursive: true })
  })

  /** A replay that is interrupted after so many rows. */
  async function interrupt(atRows: number, more = {}): Promise<void> {
    const interrupted = new AbortController()
    const onProgress = ({ rows }: { rows: number }) => rows >= atRows && interrupted.abort()
    const replay = replayed(source, target, { ...options, ...more, onProgress, signal: interrupted.signal })
    await expect(replay).rejects.toMatchObject({ kind: 'interrupted' })
  }

  return { target, driver, label, home, stateFile, undoDirectory, source, usual, options, graph, clear, interrupt }
}
