import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { alphabetOf } from '../../replay/generator/alphabet.ts'
import { wipeOrigin } from '../../replay/run/databases.ts'
import { buildWhile } from '../../support/origins/build-while.ts'

const ids = Array.from({ length: 40 }, (_, index) => index)
const grn = (index: number) => `r${index}`

const requests: [what: string, fields: object][] = [
  ['nodes', { metadata: true, originIds: ids.map((id) => `n${id}`) }],
  ['relationships of both directions', { relationships: ['GEN_T'], originIds: ids.map((id) => `n${id}`) }],
  ['incoming relationships', { relationships: ['<GEN_T'], originIds: ids.map((id) => `f${id}`) }],
  ['relationships by their own ids', { relationshipIdField: 'grn', relationshipIds: ids.map(grn) }],
]

const driver = openDriver(inject('stack').neo4j)
const names = alphabetOf('Churning', 650_000n)
const build = buildWhile(inject('stack').neo4j, names)
afterAll(async () => {
  await wipeOrigin(driver, names)
  await driver.close()
})

// A deletion takes effect while a query runs: the rows of the query show parts of it.
test.each(requests)(
  '%s of an origin that deletes and creates them all the time are published whole',
  { timeout: 60_000 },
  async (_, fields) => {
    const ends = `(:${names.a} {id: 'n' + i, name: 'x'})-[:GEN_T {grn: 'r' + i, at: i}]->(:${names.a} {id: 'f' + i, name: 'x'})`
    const create = () => run(driver, `UNWIND range(0, ${ids.length - 1}) AS i CREATE ${ends}`)
    const remove = () => run(driver, `MATCH (n:${names.a}) DETACH DELETE n`)
    await wipeOrigin(driver, names)
    await create()
    let isOver = false
    const churning = (async () => {
      while (!isOver) {
        await remove()
        await create()
      }
    })()
    const problems = new Set<string>()
    for (const until = Date.now() + 5_000; Date.now() < until; ) {
      const built = await build(fields, async () => {}, { batchSize: 5_000 }).catch((error: { code?: string }) => error)
      if (!Array.isArray(built)) problems.add(`fails: ${built.code}`)
      else
        for (const { statement, parameters } of built) {
          if (statement.startsWith('MERGE (n:') && parameters.name !== 'x')
            problems.add('a node without its properties')
          if (!statement.startsWith('MERGE (a:')) continue
          if (parameters.at === undefined) problems.add('a relationship without its properties')
          if (!String(parameters.a_id).startsWith('n')) problems.add('a relationship in the wrong direction')
        }
    }
    isOver = true
    await churning
    problems.delete('fails: originChanged')
    // While no node has the label.
    problems.delete('fails: nothingThere')
    expect([...problems]).toEqual([])
  },
)
