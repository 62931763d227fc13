import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createRelationshipSchema, hasUniqueness, readIndexes } from '../../../shared/read/schema.ts'
import { limitsOf } from '../../replay/suites/known-limits.ts'
import { openOther, testOtherDatabase } from '../../replay/suites/other-database.ts'
import { openDatabase, setLanguage } from '../../support/servers/other-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** What `npm run try:database` asks for; empty in a ring. */
    tried: { server?: string; cases?: number }
  }
}

/**
 * What `npm run try:database -- SERVER` runs with another server and 300 cases. Neo4j 4.2 differs most from the servers of
 * the stack: it lists constraints and indexes without `YIELD`, and creates constraints in the old syntax.
 */
const { server, cases } = { server: '4.2.19', cases: 2, ...inject('tried') }
const name = server === 'arcadedb' ? 'ArcadeDB' : `Neo4j ${server}`
const address = await openDatabase(server)
const syntax = server.startsWith('3.') ? 'braces' : 'dollar'
const other = address && (await openOther(address, 'Tried', 1_850_000n, syntax))

// The row of the table in docs/databases.md. It needs the driver, which `openOther` closes afterwards.
const outcomes: { title: string; isFailed: boolean }[] = []
afterEach(({ task }) => void outcomes.push({ title: task.name, isFailed: task.result?.state === 'fail' }))
afterAll(async () => {
  if (other === undefined) return
  const { protocolVersion } = await other.driver.getServerInfo()
  const cell = (words: RegExp, good: string) => {
    const failed = outcomes.filter(({ title, isFailed }) => isFailed && words.test(title))
    return failed.length === 0 ? good : `failed: ${failed.map(({ title }) => title).join('; ')}`
  }
  const exact = `exact, ${cases} cases`
  const [origin, target] = [
    cell(/ from (?!Neo4j 5 )|are found/, exact),
    cell(/into (?!Neo4j 5$)| on |known limit/, limitsOf(server).limits.length === 0 ? exact : 'not exact, as listed'),
  ]
  console.log(`| ${name} | ${protocolVersion} | ${new Date().toISOString().slice(0, 10)} | ${origin} | ${target} |`)
})

const languages = /^20\d\d\./.test(server) ? (['CYPHER 5', 'CYPHER 25'] as const) : ([''] as const)
// Neo4j 4.0 and 4.1 fail with "long overflow" on some longer ones.
const durations = /^(3\.|4\.[01]\.)/.test(server) ? 3 : server.startsWith('4.') ? 4 : 5

describe.skipIf(other === undefined).each(languages)(`${name} %s`, (language) => {
  const it = other ?? ({} as NonNullable<typeof other>)
  beforeAll(async () => {
    if (language !== '') await setLanguage(it.address, language)
  })

  testOtherDatabase(it, { server, name, durations, cases, undone: Math.ceil(cases / 10) })

  test(`the constraints, types and indexes of ${name} are found`, async () => {
    const { driver, originPolicy } = it
    const [label, type] = [uniqueName('P'), uniqueName('T')]
    await run(driver, `CREATE (:${label} {id: 'a'})-[:${type}]->(:${label} {id: 'b'})`)
    await run(driver, `CREATE ${uniquenessOf(label)}`)
    await run(driver, `CREATE INDEX ${server.startsWith('3.') ? `ON :${label}(grn)` : `FOR (n:${label}) ON (n.grn)`}`)
    const origin = await openOrigin(database(it.address, label, 'id'), originPolicy, 60)
    expect([await hasUniqueness(origin, label, 'id'), await hasUniqueness(origin, label, 'grn')]).toEqual([true, false])
    expect(await createRelationshipSchema(origin).types()).toContain(type)
    const indexes = async () =>
      (await readIndexes(origin, 'NODE'))?.flatMap(({ of, property }) => (of === label ? property : []))
    await expect.poll(indexes, { timeout: 60_000 }).toHaveLength(2)
    await origin.close()
  })
})

/** Servers before Neo4j 4.4 take the second form, others the first. */
const uniquenessOf = (label: string) =>
  /^(3\.|4\.[0-3]\.)/.test(server)
    ? `CONSTRAINT ON (n:${label}) ASSERT n.id IS UNIQUE`
    : `CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`
