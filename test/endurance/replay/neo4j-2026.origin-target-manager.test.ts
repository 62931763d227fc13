import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { isPublishable } from '../../../shared/packstream/kinds.ts'
import { createRelationshipSchema, hasUniqueness } from '../../../shared/publish/read/schema.ts'
import { identifiesByOneLook } from '../../integration/suites/labels-read-once.ts'
import { checkCases } from '../../replay/run/check-cases.ts'
import { checkUndo } from '../../replay/run/check-undo.ts'
import { openWorldOf } from '../../replay/run/open-world.ts'
import { drawMatrix } from '../../replay/type-matrix.ts'
import { everyKind } from '../../support/graphs/every-kind.ts'
import { fillVersion, prepareModels } from '../../support/models/open-models.ts'
import { startLargeIds } from '../../support/origins/large-ids.ts'
import { mapOf } from '../../support/origins/read-rows.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { replayed, sourceOf, undone, verified } from '../../support/replay/replaying.ts'
import { openCurrent, setLanguage } from '../../support/servers/current-neo4j.ts'
import { shuffled } from '../../support/values/shuffle.ts'

const { neo4j, ...stack } = inject('stack')
const target = stack.target as Neo4jAddress
const current = await openCurrent()
const isLong = inject('isLong')

/** Servers, a service that may read them, and what generated cases need; null without a Neo4j 2026. */
async function prepare(address: Neo4jAddress) {
  const { stop, ...elsewhere } = await startLargeIds(address)
  afterAll(stop)
  const origins = [address, elsewhere, inject('largeIds')].map(({ boltUrl }) => new URL(boltUrl).host)
  const { service, client } = await ownService({ workers: 1, origins })
  const { env } = service
  const routed = { ...address, boltUrl: address.boltUrl.replace('bolt', 'neo4j') }
  const from = { origin: address, elsewhere, target, client, env }
  const into = { origin: neo4j, elsewhere: inject('largeIds'), target: address, client, env }
  const worlds = [await openWorldOf(from, 'From', 1_250_000n), await openWorldOf(into, 'Into', 1_350_000n)] as const
  // Names of its own: it leaves constraints behind, which the targets of generated cases may break.
  const undoWorld = await openWorldOf(into, 'UndoInto', 1_450_000n)
  const [driver, five] = [openDriver(address), openDriver(target)]
  afterAll(() => Promise.all([driver.close(), five.close()]))
  return { address, client, worlds, undoWorld, driver, five, models: prepareModels(routed) }
}

const prepared = current === undefined ? null : await prepare(current)
const directory = await mkdtemp(join(tmpdir(), 'current-'))
afterAll(() => rm(directory, { recursive: true }))

const languages = ['CYPHER 5', 'CYPHER 25'] as const
describe.skipIf(prepared === null).each(languages)('Neo4j 2026 whose language is %s', (language) => {
  const {
    address,
    client,
    worlds,
    undoWorld,
    driver,
    five,
    models: ours,
  } = prepared ?? ({} as NonNullable<typeof prepared>)
  beforeAll(() => setLanguage(address, language))

  const nameOf = async (what: string, of: string) =>
    (await run(driver, `SHOW ${what} YIELD name, labelsOrTypes WHERE $of IN labelsOrTypes RETURN name`, { of }))[0]?.[0]

  test('values of every type, published from Neo4j 2026, replay into it and into Neo4j 5', async () => {
    const label = uniqueName('Matrix')
    const originIds = await drawMatrix(driver, label, false)
    const request = { ...database(address, label, 'id'), originIds, metadata: true, relationships: ['T'] }
    const answer = await client.post('/1.0/publish/', { ...request, returnOnly: true, parameterSyntax: 'dollar' })
    const pairs = shuffled(answeredPairs(answer), 1)
    const expected = await readGraph(driver, label)
    expect(expected.nodes.length).toBe(2 * originIds.length - 1)
    await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    for (const copy of [driver, five]) {
      await replayInOrder(copy, pairs)
      expect(differences(expected, await readGraph(copy, label))).toEqual([])
    }
  })

  test('generated cases replay from Neo4j 2026 into Neo4j 5, and from Neo4j 5 into it', {
    timeout: 240_000,
  }, async () => {
    const few = language === 'CYPHER 5' ? 1 : 3
    for (const world of worlds) await checkCases(world, { cases: isLong ? 200 : few }, () => {})
  })

  identifiesByOneLook(`Neo4j 2026, ${language}`, address)

  test('generated cases are replayed into Neo4j 2026 and undone', { timeout: 240_000 }, async () => {
    const wanted = isLong ? 20 : 1
    const { undone: count } = await checkUndo(undoWorld, address, wanted, Math.floor(Math.random() * 2 ** 31))
    expect(count).toBe(wanted)
  })

  test('every kind of statement is replayed, verified and undone on Neo4j 2026', async () => {
    const label = uniqueName('Kind')
    await run(driver, `CREATE (:${label} {id: 'a', secret: 1})-[:OLD]->(:${label} {id: 'x'})`)
    const before = await readGraph(driver, label)
    const undoDirectory = join(directory, language)
    const source = sourceOf(...everyKind(label))
    const named = { url: address.boltUrl.replace('bolt', 'neo4j'), database: 'neo4j' }
    await replayed(source, address, { createConstraints: true, undoDirectory, windowBytes: 1 }, named)
    expect(await verified(source, address)).toMatchObject({ differing: 0, missingConstraints: [] })
    expect(differences(before, await readGraph(driver, label))).not.toEqual([])
    await undone(undoDirectory, address)
    expect(differences(before, await readGraph(driver, label))).toEqual([])
  })

  test('no statement of a packet is deprecated on Neo4j 2026', async () => {
    const label = uniqueName('Kind')
    const session = driver.session()
    for (const { statement, parameters } of everyKind(label).flat()) {
      const { summary } = await session.run(statement, parameters)
      const deprecated = summary.gqlStatusObjects.filter(
        (it) => 'classification' in it && it.classification === 'DEPRECATION',
      )
      expect([statement, deprecated]).toEqual([statement, []])
    }
    await session.close()
  })

  test('the constraints, types and indexes of Neo4j 2026 are found', async () => {
    const [label, type] = [uniqueName('P'), uniqueName('T')]
    await run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
    await run(driver, `CREATE INDEX FOR ()-[r:${type}]-() ON (r.grn)`)
    await run(driver, 'CALL db.awaitIndexes(60)')
    const origin = await openOrigin(database(address, label, 'id'), worlds[0].originPolicy, 60)
    const schema = createRelationshipSchema(origin)
    expect([await hasUniqueness(origin, label, 'id'), await hasUniqueness(origin, label, 'other')]).toEqual([
      true,
      false,
    ])
    expect(await schema.types()).toContain(type)
    expect([...((await schema.indexedBy('grn')) ?? [])]).toEqual([type])
    await origin.close()
    for (const query of [
      `DROP INDEX ${await nameOf('INDEXES', type)}`,
      `DROP CONSTRAINT ${await nameOf('CONSTRAINTS', label)}`,
    ])
      await run(driver, query)
  })

  // The Community edition can return such values, but not store them.
  test('values of types that only Neo4j 2026 has are reported by their names', async () => {
    const origin = await openOrigin(database(address, 'P', 'id'), worlds[0].originPolicy, 60)
    const query = 'CYPHER 25 WITH vector([1, 2], 2, FLOAT32) AS v RETURN {a: v, b: [v], c: uuid()}'
    const { rows } = await origin.rows(query, {})
    const read = mapOf(rows ?? expect.unreachable())
    await origin.close()
    expect(read.shape.kinds.map((of, index) => [isPublishable(of), read.typeName(index)])).toEqual([
      [false, 'vector'],
      [false, 'list with a vector'],
      [false, 'uuid'],
    ])
  })

  test('a multi of named databases and bookmarks of Neo4j 2026 is stored', async () => {
    const [org, label] = [uniqueName('org'), uniqueName('P')]
    await client.post(`/1.0/publish/${org}`)
    const session = driver.session()
    await session.run(`CREATE (:${label} {id: 'a'})-[:T]->(:${label} {id: 'b'})`)
    const fields = {
      ...database(address, label, 'id'),
      metadata: true,
      database: 'neo4j',
      bookmarks: session.lastBookmarks(),
    }
    await session.close()
    const place = { orgName: org, fileName: 'multi', relationships: ['T'] }
    const requests = ['a', 'b'].map((id) => ({ ...fields, ...place, originIds: [id] }))
    const { status, body } = await client.post('/1.0/publish/multi', requests)
    expect([status, body.error, body.transactionRequest?.statements.length]).toEqual([200, null, 6])
    const refused = await client.post('/1.0/publish/', {
      ...requests[0],
      fileName: 'other',
      bookmarks: ['FB:other'],
    })
    expect(refused.body.error).toBe('422 Unprocessable Entity: bookmarks: rejected by the origin')
  })

  test('models and their constraints work on Neo4j 2026', async () => {
    const { models } = ours
    const { name, manager, version } = await ours.newModel()
    await fillVersion(ours, version, 3)
    expect(await models.constraints(version, { limit: 100, after: null })).not.toEqual([])
    await expect(ours.newModel(name)).rejects.toMatchObject({ status: 409 })
    await models.remove(manager, null)
    expect(await ours.nodes()).toEqual({ all: 0, orphans: 0 })
    const listed = "SHOW CONSTRAINTS YIELD labelsOrTypes WHERE 'GraphPacketsRecord' IN labelsOrTypes"
    expect(await run(driver, listed)).toHaveLength(3)
  })
})
