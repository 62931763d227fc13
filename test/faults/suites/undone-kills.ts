import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { dirtying, packetOf, replayInChild } from '../../support/faults/killed-replay.ts'
import { replayed, targetOf, undone } from '../../support/replay/replaying.ts'
import type { Kills } from './killed-replays.ts'

/** Registers the test of replays that are killed and undone. */
export async function testUndoneKills({ database, lanes, step }: Kills): Promise<void> {
  const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
  const address = database === 'Neo4j 5' ? target : legacy
  const directory = await mkdtemp(join(tmpdir(), 'undo-'))
  afterAll(() => rm(directory, { recursive: true }))

  describe(`${database}, ${lanes === 1 ? 'one lane' : `${lanes} lanes`}`, () => {
    const driver = openDriver(address)
    const label = uniqueName('Undone')
    const clear = () => run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
    afterAll(async () => {
      await clear()
      await driver.close()
    })

    test('a replay that is killed after a transaction, and may have continued, is undone to what was before', {
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
}
