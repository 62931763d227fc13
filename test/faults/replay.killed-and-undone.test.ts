import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { dirtying, packetOf, replayInChild } from '../support/faults/killed-replay.ts'
import { replayed, targetOf, undone } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const directory = await mkdtemp(join(tmpdir(), 'undo-'))
afterAll(() => rm(directory, { recursive: true }))

describe.each([
  ['Neo4j 5, one lane', target, 1, 5],
  ['Neo4j 3.5, four lanes', legacy, 4, 9],
])('%s', (_name, address, lanes, usualStep) => {
  const step = inject('isLong') ? 1 : usualStep
  const driver = openDriver(address)
  const label = uniqueName('Undone')
  const clear = () => run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  afterAll(async () => {
    await clear()
    await driver.close()
  })

  test('a replay killed after a transaction, with and without going on, is undone to what was before', {
    timeout: 300_000,
  }, async () => {
    let killed = 0
    for (let transactions = 1; ; transactions += step) {
      await clear()
      for (const query of dirtying(label)) await run(driver, query)
      const before = await readGraph(driver, label)
      const undoDirectory = join(directory, `${label}-${transactions}`)
      const stateFile = join(directory, `${label}-${transactions}.json`)
      const order = { label, target: targetOf(address), stateFile, lanes, undoDirectory }
      const wasKilled = await replayInChild({ ...order, killAfter: { transactions } }, directory)
      if (wasKilled && killed++ % 2 === 0) {
        await replayed(packetOf(label), address, { lanes, stateFile, undoDirectory, windowBytes: 1 })
      }
      await undone(undoDirectory, address)
      expect(differences(before, await readGraph(driver, label))).toEqual([])
      if (!wasKilled) break
    }
    expect(killed).toBeGreaterThanOrEqual(2)
  })
})
