import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { asWritten } from '../../../packet/check/as-written.ts'
import { valueText } from '../../../packet/check/shown-value.ts'
import { param, render } from '../../../packet/cypher/parameters.ts'
import { parseLossless } from '../../../packet/lossless-json.ts'
import { isPublishable } from '../../../packet/packstream/kinds.ts'
import { expression } from '../../../packet/values/values.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createRelationshipSchema, hasUniqueness } from '../../../shared/read/schema.ts'
import { identifiesByOneLook } from '../../integration/suites/labels-read-once.ts'
import { openOther, testOtherDatabase } from '../../replay/suites/other-database.ts'
import { everyKind } from '../../support/graphs/every-kind.ts'
import { fillVersion, prepareModels } from '../../support/models/open-models.ts'
import { mapOf } from '../../support/origins/read-rows.ts'
import { pairOf, replayed, sourceOf, verified } from '../../support/replay/replaying.ts'
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
// The short form takes one, which is drawn.
const drawn = languages[Math.floor(2 * Math.random())] as (typeof languages)[number]
const tried = isLong ? languages : [drawn]
describe.skipIf(prepared === undefined).each(tried)('Neo4j 2026 whose language is %s', (language) => {
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
  test('vectors and UUIDs that Neo4j 2026 sends are written as it evaluates them, except in lists of vectors', async () => {
    const vectors = ['FLOAT32', 'FLOAT64', 'INTEGER8', 'INTEGER16', 'INTEGER32', 'INTEGER64']
    const values = [
      ...vectors.map((type) => `vector([1, -2, 100], 3, ${type})`),
      ...[
        'vector([0.1, -0.0], 2, FLOAT32)',
        'vector([9223372036854775807], 1, INTEGER64)',
        'uuid()',
        '[uuid(), uuid()]',
      ],
    ]
    const made = [...values, '[vector([1], 1, FLOAT32)]'].map((value, index) => `v${index + 10}: ${value}`)
    const origin = await openOrigin(database(address, 'P', 'id'), originPolicy, 60)
    const { rows } = await origin.rows(`CYPHER 25 RETURN {${made.join(', ')}}`, {})
    const read = mapOf(rows ?? expect.unreachable())
    await origin.close()
    expect(read.shape.keys.filter((_, index) => !isPublishable(read.shape.kinds[index] as number))).toEqual(['v20'])
    expect(read.typeName(read.shape.indexOf('v20'))).toBe('list with a vector')
    for (const index of values.keys()) {
      const key = `v${index + 10}`
      const rendered = read.rendered(read.shape.indexOf(key), 'plain')
      const written = render(expression(rendered, param('p')), 'dollar')
      const query = `CYPHER 25 RETURN ${written} AS written`
      const [row] = await run(driver, query, { p: parseLossless(rendered.json) })
      expect(asWritten(rendered, parseLossless(rendered.json), row?.[0])).toEqual(row?.[0])
      expect(valueText(row?.[0])).toBe(valueText(read.value(key)))
    }
  })

  test('the Community Edition of Neo4j 2026 names the type that it cannot store', async () => {
    const upsert = 'MERGE (n:`New` {`id`: $id}) SET n = {`id`: $id, `u`: uuid($u)}'
    const source = sourceOf([pairOf(upsert, { id: 'a', u: '00112233-4455-6677-8899-aabbccddeeff' })])
    const expected = language === 'CYPHER 25' ? 'storing properties of type UUID' : "Unknown function 'uuid'"
    await expect(replayed(source, address, { createConstraints: true })).rejects.toThrow(expected)
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
