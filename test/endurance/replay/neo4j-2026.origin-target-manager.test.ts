import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { isPublishable } from '../../../shared/packstream/kinds.ts'
import { createRelationshipSchema, hasUniqueness } from '../../../shared/publish/read/schema.ts'
import { identifiesByOneLook } from '../../integration/suites/labels-read-once.ts'
import { openOther, testOtherDatabase } from '../../replay/suites/other-database.ts'
import { everyKind } from '../../support/graphs/every-kind.ts'
import { fillVersion, prepareModels } from '../../support/models/open-models.ts'
import { mapOf } from '../../support/origins/read-rows.ts'
import { replayed, sourceOf, verified } from '../../support/replay/replaying.ts'
import { openDatabase, setLanguage } from '../../support/servers/other-database.ts'

const name = 'Neo4j 2026'
const current = await openDatabase('2026.09.0')
const isLong = inject('isLong')

/** Null without a Neo4j 2026. */
const prepared = current && {
  ...(await openOther(current, 'Current', 1_250_000n)),
  models: prepareModels({ ...current, boltUrl: current.boltUrl.replace('bolt', 'neo4j') }),
}

const languages = ['CYPHER 5', 'CYPHER 25'] as const
describe.skipIf(prepared === undefined).each(languages)('Neo4j 2026 whose language is %s', (language) => {
  const other = prepared ?? ({} as NonNullable<typeof prepared>)
  const { address, client, driver, originPolicy, models: ours } = other
  beforeAll(() => setLanguage(address, language))

  const nameOf = async (what: string, of: string) =>
    (await run(driver, `SHOW ${what} YIELD name, labelsOrTypes WHERE $of IN labelsOrTypes RETURN name`, { of }))[0]?.[0]

  identifiesByOneLook(`Neo4j 2026, ${language}`, address)

  const few = language === 'CYPHER 5' ? 1 : 3
  testOtherDatabase(other, { name, cases: isLong ? 200 : few, undone: isLong ? 20 : 1 })

  test('a packet is replayed into a named database of Neo4j 2026 at a neo4j address', async () => {
    const source = sourceOf(...everyKind(uniqueName('Kind')))
    const named = { url: address.boltUrl.replace('bolt', 'neo4j'), database: 'neo4j' }
    await replayed(source, address, { createConstraints: true }, named)
    expect(await verified(source, address)).toMatchObject({ differing: 0, missingConstraints: [] })
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
    const origin = await openOrigin(database(address, label, 'id'), originPolicy, 60)
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
    const origin = await openOrigin(database(address, 'P', 'id'), originPolicy, 60)
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
