import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { dirtying, packetOf, replayInChild } from '../../support/faults/killed-replay.ts'
import { replayed, targetOf } from '../../support/replay/replaying.ts'

/** The database at which replays are killed, the number of lanes, and after every how many transactions. */
export interface Kills {
  database: 'Neo4j 5' | 'Neo4j 3.5'
  lanes: number
  step: number
}

/** Registers the tests of replays that are killed and then continue. */
export async function testKilledReplays({ database, lanes, step }: Kills): Promise<void> {
  const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
  const address = database === 'Neo4j 5' ? target : legacy
  const directory = await mkdtemp(join(tmpdir(), 'replay-'))
  afterAll(() => rm(directory, { recursive: true }))

  describe(`${database}, ${lanes === 1 ? 'one lane' : `${lanes} lanes`}`, () => {
    const driver = openDriver(address)
    const label = uniqueName('Killed')
    const stateFile = join(directory, `${label}.json`)
    const clear = () => run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
    const dirty = async () => {
      await clear()
      for (const query of dirtying(label)) await run(driver, query)
    }
    const order = { label, target: targetOf(address), stateFile, lanes }
    const again = () => replayed(packetOf(label), address, { lanes, stateFile, windowBytes: 1 })
    afterAll(async () => {
      await clear()
      await driver.close()
    })

    test('a replay killed after a transaction continues, and ends as one that was not killed', {
      timeout: 300_000,
    }, async () => {
      await dirty()
      expect(await replayInChild({ ...order, killAfter: null }, directory)).toBe(false)
      const expected = await readGraph(driver, label)
      expect([expected.nodes.length, expected.relationships.length]).toEqual([60, 100])
      let goneOn = 0
      let transactions = 1
      for (; ; transactions += step) {
        await dirty()
        if (!(await replayInChild({ ...order, killAfter: { transactions } }, directory))) break
        const { partsSkipped } = await again()
        goneOn = Math.max(goneOn, partsSkipped)
        expect(differences(expected, await readGraph(driver, label))).toEqual([])
      }
      expect(transactions).toBeGreaterThan(10)
      expect(goneOn).toBeGreaterThanOrEqual(2)
    })

    test('a replay begins again in a database that was emptied since it was killed', async () => {
      await dirty()
      expect(await replayInChild({ ...order, killAfter: { partsDone: 1 } }, directory)).toBe(true)
      expect((await stat(stateFile)).mode & 0o777).toBe(0o600)
      const state = await readFile(stateFile, 'utf8')
      expect(state).not.toContain(address.password)
      await clear()
      expect(await again()).toMatchObject({ partsSkipped: 0, partsDone: 4 })
      expect(await run(driver, `MATCH (n:\`${label}\`) RETURN count(n)`)).toEqual([[40n]])
    })
  })
}
