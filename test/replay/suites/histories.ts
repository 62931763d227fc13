import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { describeHistory, historyOf } from '../generator/histories.ts'
import { runHistory } from '../run/run-history.ts'

/** Registers the test of this many generated histories of commands, drawn from a seed. */
export function testHistories(histories: number, first = Math.floor(Math.random() * 2 ** 31)): void {
  // Neo4j 3.5 plans new queries much faster than Neo4j 5.
  const { legacy: address } = inject('stack') as { legacy: Neo4jAddress }
  const driver = openDriver(address)
  const label = uniqueName('History')
  afterAll(async () => {
    await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
    await driver.close()
  })

  test('commands that replay and undo two packets, interrupted anywhere, leave what the last one that ended says', {
    timeout: 60_000 + 10_000 * histories,
  }, async () => {
    console.log(`histories of commands: seed ${first}, ${histories} histories`)
    await run(driver, `CREATE CONSTRAINT ON (n:\`${label}\`) ASSERT n.id IS UNIQUE`)
    const ended = { replay: 0, undo: 0, resumed: 0 }
    const isComplete = () => Object.values(ended).every((count) => count > 0)
    // Few histories may lack a kind of end: more are drawn until each has occurred.
    for (let seed = first; seed < first + histories || (!isComplete() && seed < first + 10 * histories); seed++) {
      const home = await mkdtemp(join(tmpdir(), 'history-'))
      const history = historyOf(seed)
      try {
        const counts = await runHistory({ driver, address, label }, history, home)
        for (const kind of ['replay', 'undo', 'resumed'] as const) ended[kind] += counts[kind]
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}\n\n${describeHistory(history)}`, { cause: error })
      } finally {
        await rm(home, { recursive: true })
      }
    }
    console.log(JSON.stringify(ended))
    expect(isComplete()).toBe(true)
  })
}
