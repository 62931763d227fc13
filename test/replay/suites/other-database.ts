import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Driver } from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { everyKind } from '../../support/graphs/every-kind.ts'
import { startLargeIds } from '../../support/origins/large-ids.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { deltasAddUp, type Way } from '../../support/replay/deltas-add-up.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { replayed, sourceOf, undone, verified } from '../../support/replay/replaying.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { checkCases } from '../run/check-cases.ts'
import { checkUndo } from '../run/check-undo.ts'
import { openWorldOf } from '../run/open-world.ts'
import { type Durations, drawMatrix } from '../type-matrix.ts'
import { limitsOf, testKnownLimits } from './known-limits.ts'

/** A database that is not part of the stack, with a service that may read it, and what generated cases need. */
export type OtherDatabase = Awaited<ReturnType<typeof openOther>>

/**
 * @param suite begins the labels of the generated cases, whose internal numbers begin at `firstNumber`
 * @param parameterSyntax of the packets that are replayed from the database and into it
 */
export async function openOther(
  address: Neo4jAddress,
  suite: string,
  firstNumber: bigint,
  parameterSyntax: 'dollar' | 'braces' = 'dollar',
) {
  const { neo4j, ...stack } = inject('stack')
  const target = stack.target as Neo4jAddress
  const { stop, ...elsewhere } = await startLargeIds(address)
  afterAll(stop)
  const origins = [address, elsewhere, inject('largeIds')].map(({ boltUrl }) => new URL(boltUrl).host)
  const { service, client } = await ownService({ workers: 1, origins })
  const { env } = service
  const copy = parameterSyntax === 'braces' ? (stack.legacy as Neo4jAddress) : target
  const from = { origin: address, elsewhere, target: copy, client, env }
  const into = { origin: neo4j, elsewhere: inject('largeIds'), target: address, client, env }
  const [step, syntax] = [100_000n, parameterSyntax]
  const worlds = {
    from: await openWorldOf(from, `From${suite}`, firstNumber, syntax),
    into: await openWorldOf(into, `Into${suite}`, firstNumber + step, syntax),
    // Names of its own: it leaves constraints behind, which the targets of generated cases may break.
    undo: await openWorldOf(into, `Undo${suite}`, firstNumber + 2n * step, syntax),
  }
  const [driver, five] = [openDriver(address), openDriver(target)]
  const directory = await mkdtemp(join(tmpdir(), 'other-'))
  afterAll(async () => {
    await Promise.all([driver.close(), five.close()])
    await rm(directory, { recursive: true })
  })
  return { address, copy, client, worlds, driver, five, directory, originPolicy: worlds.from.originPolicy }
}

interface Asked {
  /** As `npm run try:database` names it; absent: a database without known limits. */
  server?: string
  /** How titles name the database. */
  name: string
  /** Which of the longest durations it stores. */
  durations?: Durations
  /** Generated cases as origin, as many as target, and how many of them are undone. */
  cases: number
  undone: number
}

/** Registers what every supported database does, as origin and as target. */
export function testOtherDatabase(
  other: OtherDatabase,
  { server = '', name, durations = 5, cases, undone: wanted }: Asked,
) {
  const { address, copy, client, worlds, driver, five, directory } = other
  const timeout = 240_000 + 8_000 * cases
  const { refused, limits } = limitsOf(server)
  const { parameterSyntax } = worlds.into
  const isExactTarget = limits.length === 0

  const ways: (readonly ['braces' | 'dollar', string, Driver])[] = [
    ...(isExactTarget ? [['dollar', name, driver] as const] : []),
    ['dollar', 'Neo4j 5', five],
    ...(worlds.from?.parameterSyntax === 'braces' ? [['braces', name, driver] as const] : []),
  ]
  const back: Way = { client, from: inject('stack').neo4j, to: address, parameterSyntax }
  const there: Way = { ...back, from: address, to: copy }
  test.each([['from', there], ...(isExactTarget ? [['into', back] as const] : [])] as const)(
    `base and deltas %s ${name} add up to the graph of the origin`,
    { timeout: 240_000 },
    (_, way) =>
      deltasAddUp(Math.floor(Math.random() * 1e9), 3, { parallel: true, options: { relationshipIdField: 'rid' } }, way),
  )

  test.each(ways)(`values of every type, published from ${name} in %s, replay exactly into %s`, async (...way) => {
    const [parameterSyntax, , copy] = way
    const label = uniqueName('Matrix')
    const originIds = await drawMatrix(driver, label, durations, refused)
    const answer = await client.post('/1.0/publish/', {
      ...database(address, label, 'id'),
      originIds,
      metadata: true,
      relationships: ['T'],
      returnOnly: true,
      parameterSyntax,
    })
    const pairs = shuffled(answeredPairs(answer), 1)
    const expected = await readGraph(driver, label)
    expect(expected.nodes.length).toBe(2 * originIds.length - 1)
    await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    await replayInOrder(copy, pairs)
    expect(differences(expected, await readGraph(copy, label))).toEqual([])
  })

  testKnownLimits(server, name, driver)

  // Neo4j 4.3 returns such a relationship twice if it planned the query while there was none of the type.
  test(`a self-loop is published once from ${name}`, async () => {
    const [label, type] = [uniqueName('Loop'), uniqueName('T')]
    const loop = `MATCH (n:${label}) CREATE (n)-[:${type} {k: 1}]->(n)`
    const publish = async () => {
      const fields = { ...database(address, label, 'id'), originIds: ['a'], relationships: [type], returnOnly: true }
      const { body } = await client.post('/1.0/publish/', { ...fields, metadata: true, parameterSyntax: 'dollar' })
      return body.transactionRequest?.statements ?? expect.unreachable()
    }
    await run(driver, `CREATE (:${label} {id: 'a'})`)
    await run(driver, loop)
    await run(driver, `MATCH (:${label})-[r:${type}]->() DELETE r`)
    const before = await publish()
    await run(driver, loop)
    const after = await publish()
    expect(after).toHaveLength(before.length + 1)
    expect(after.filter(({ metadata }) => metadata?.collapsed)).toEqual([])
  })

  // Neo4j 3.4 finds a stored list of strings only once by `IN`.
  test.skipIf(!isExactTarget)(
    `a packet that names relationships by lists deletes none of them on ${name}`,
    async () => {
      const [label, type] = [uniqueName('List'), uniqueName('T')]
      const ids = [['a', 'b'], [], 'a', ['b'], 1n, [1n, 2n], [1.5], [true], ['a', 'c']]
      const ends = `CREATE (n:${label} {id: 'a'})-[:${type} {grn: 'to the other'}]->(m:${label} {id: 'b'})`
      await run(driver, `${ends} WITH n UNWIND $ids AS id CREATE (n)-[r:${type}]->(n) SET r.grn = id`, { ids })
      const before = await readGraph(driver, label)
      const fields = {
        ...database(address, label, 'id'),
        originIds: ['a', 'b'],
        relationships: [type],
        returnOnly: true,
      }
      for (const deleteRelationshipById of [true, false]) {
        const asked = { ...fields, relationshipIdField: 'grn', deleteRelationshipById, parameterSyntax }
        const pairs = answeredPairs(await client.post('/1.0/publish/', { ...asked, metadata: true }))
        expect(pairs.map(({ statement }) => statement).join()).toContain('any(x IN ')
        await replayInOrder(driver, shuffled(pairs, 1))
        await replayed(sourceOf(pairs), address, { createConstraints: true })
        expect(differences(before, await readGraph(driver, label))).toEqual([])
      }
    },
  )

  test(`generated cases replay from ${name}`, { timeout }, async () => {
    await checkCases(worlds.from, { cases }, () => {})
  })

  test.skipIf(!isExactTarget)(`generated cases replay into ${name}`, { timeout }, async () => {
    await checkCases(worlds.into, { cases }, () => {})
  })

  test.skipIf(!isExactTarget)(`generated cases are replayed into ${name} and undone`, { timeout }, async () => {
    const { undone: count } = await checkUndo(worlds.undo, address, wanted, Math.floor(Math.random() * 2 ** 31))
    expect(count).toBe(wanted)
  })

  test.skipIf(!isExactTarget)(`every kind of statement is replayed, verified and undone on ${name}`, async () => {
    const label = uniqueName('Kind')
    await run(
      driver,
      `CREATE (a:${label} {id: 'a', secret: 1})-[:OLD]->(:${label} {id: 'x'}), (b:${label} {id: 'b'}),
        (b)-[:KNOWS {at: 1}]->(a), (b)-[:PAID {grn: 'g1'}]->(a), (a)-[:PAID {grn: 'g3', at: 2}]->(b),
        (:${label} {id: 'q', words: ['x', 'y']})`,
    )
    const before = await readGraph(driver, label)
    const undoDirectory = join(directory, label)
    const source = sourceOf(...everyKind(label))
    await replayed(source, address, { createConstraints: true, undoDirectory, windowBytes: 1 })
    expect(await verified(source, address)).toMatchObject({ differing: 0, missingConstraints: [] })
    expect(differences(before, await readGraph(driver, label))).not.toEqual([])
    await undone(undoDirectory, address)
    expect(differences(before, await readGraph(driver, label))).toEqual([])
  })
}
