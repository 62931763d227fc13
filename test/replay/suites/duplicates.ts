import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ReplayError } from '../../../client/replay/errors.ts'
import type { ReplayOptions } from '../../../client/replay/replay.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { partsWithManifest, replayed, undone } from '../../support/replay/replaying.ts'
import { historyOf } from '../generator/histories.ts'
import { pairsOf } from '../run/run-history.ts'

const whole = (label: string) => [{ label, property: 'id' }]
const ways: [string, (label: string) => ReturnType<typeof whole>, Partial<ReplayOptions>][] = [
  ['a manifest that names the constraint', whole, {}],
  ['a manifest that omits the constraint', () => [], {}],
  ['a manifest that names the constraint, which is to be created', whole, { createConstraints: true }],
  ['a manifest that omits the constraint, and an undo', () => [], { undoDirectory: 'undo' }],
  ['a manifest, without constraints', whole, { withoutConstraints: true }],
]

/** Registers a test for each way to replay, with this many generated targets. */
export async function testDuplicates(count: number): Promise<void> {
  const { legacy: address } = inject('stack') as { legacy: Neo4jAddress }
  const driver = openDriver(address)
  // No constraint can be where duplicates are.
  const [twice, once] = [uniqueName('Twice'), uniqueName('Once')]
  const home = await mkdtemp(join(tmpdir(), 'twice-'))
  const clear = (label: string) => run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  beforeAll(() => run(driver, `CREATE CONSTRAINT ON (n:\`${once}\`) ASSERT n.id IS UNIQUE`))
  afterAll(async () => {
    for (const label of [twice, once]) await clear(label)
    await driver.close()
    await rm(home, { recursive: true })
  })

  test.each(ways)(
    'a target becomes what the pairs make of it one by one, or may get an error if it has duplicates: %s',
    async (way, constraintsOf, options) => {
      const first = Math.floor(Math.random() * 2 ** 31)
      console.log(`targets with duplicates: seed ${first}`)
      const outcomes = { failed: 0, done: 0 }
      const isComplete = () => outcomes.failed > 0 && outcomes.done > 0
      for (let seed = first; seed < first + count || (!isComplete() && seed < first + 10 * count); seed++) {
        const label = seed % 2 === 0 ? twice : once
        const { packets, before } = historyOf(seed)
        const parts = packets.A.map((operations) => pairsOf(operations, label))
        const make = async () => {
          await clear(label)
          for (const { statement, parameters } of pairsOf(before, label)) await run(driver, statement, parameters)
          if (label === once) return
          await run(
            driver,
            `UNWIND ['n1', 'n2', 'n1'] AS id CREATE (:\`${label}\` {id: id})-[:KNOWS]->(:\`${label}\` {id: 'n3'})`,
          )
        }
        await make()
        for (const { statement, parameters } of parts.flat()) await run(driver, statement, parameters)
        const expected = await readGraph(driver, label)
        await make()
        const untouched = await readGraph(driver, label)
        const { undoDirectory, ...others } = options
        const undo = undoDirectory === undefined ? {} : { undoDirectory: join(home, `${undoDirectory}${seed}`) }
        const source = partsWithManifest(constraintsOf(label), ...parts)
        const failure = await replayed(source, address, { ...others, ...undo, lanes: 1 })
          .then(() => null)
          .catch((error: unknown) => error)
        const after = await readGraph(driver, label)
        outcomes[failure === null ? 'done' : 'failed']++
        if (label === once) expect([way, seed, failure]).toEqual([way, seed, null])
        if (failure === null) expect([way, seed, differences(expected, after)]).toEqual([way, seed, []])
        else expect(failure).toBeInstanceOf(ReplayError)
        if (failure instanceof ReplayError && failure.kind === 'refused')
          expect(differences(untouched, after)).toEqual([])
        if (failure !== null || undo.undoDirectory === undefined) continue
        await undone(undo.undoDirectory, address)
        expect([way, seed, differences(untouched, await readGraph(driver, label))]).toEqual([way, seed, []])
      }
      expect(isComplete()).toBe(true)
    },
  )
}
