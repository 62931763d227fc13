import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { alphabetOf } from '../../replay/generator/alphabet.ts'
import { wipeOrigin } from '../../replay/run/databases.ts'
import { buildWhile } from '../../support/origins/build-while.ts'

const ids = Array.from({ length: 40 }, (_, index) => index)
const grn = (index: number) => `churning${index}`

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

/** Runs `attempt` again and again for five seconds, while `change` runs again and again. */
async function whileRepeating(change: () => Promise<unknown>, attempt: () => Promise<void>) {
  let isOver = false
  const changing = (async () => {
    while (!isOver) await change()
  })()
  try {
    for (const until = Date.now() + 5_000; Date.now() < until; ) await attempt()
  } finally {
    isOver = true
    await changing
  }
}

// The search for shared ids scans all nodes of the label. It may find the id at its old node and then at its new one.
test('an id that keeps moving between two nodes is never reported as shared by them', { timeout: 60_000 }, async () => {
  await wipeOrigin(driver, names)
  await run(driver, `CREATE (:${names.a}:${names.b} {id: 'n'})`)
  await run(driver, `UNWIND range(1, 10000) AS i CREATE (:${names.a} {id: 'f' + i})`)
  await run(driver, `CREATE (:${names.a}:${names.b})`)
  const move = () =>
    run(
      driver,
      `MATCH (one:${names.b} {id: 'n'}), (other:${names.b}) WHERE other.id IS NULL REMOVE one.id SET other.id = 'n'`,
    )
  const ends = new Set<string>()
  await whileRepeating(move, async () => {
    const built = await build({ metadata: true, originIds: ['n'] }, async () => {}).catch((error: Error) => error)
    ends.add(Array.isArray(built) ? 'published' : built.message)
  })
  const messages = [...ends]
  expect(messages).toContain('published')
  expect(messages.filter((message) => message.includes('more than one node'))).toEqual([])
})

// A deletion takes effect while a query runs: the rows of the query show parts of it.
test.each(requests)(
  '%s of an origin that deletes and creates them all the time are published whole',
  { timeout: 60_000 },
  async (_, fields) => {
    const ends = `(:${names.a} {id: 'n' + i, name: 'x'})-[:GEN_T {grn: 'churning' + i, at: i}]->(:${names.a} {id: 'f' + i, name: 'x'})`
    const create = () => run(driver, `UNWIND range(0, ${ids.length - 1}) AS i CREATE ${ends}`)
    const remove = () => run(driver, `MATCH (n:${names.a}) DETACH DELETE n`)
    await wipeOrigin(driver, names)
    await create()
    const replace = async () => {
      await remove()
      await create()
    }
    const problems = new Set<string>()
    await whileRepeating(replace, async () => {
      const built = await build(fields, async () => {}, { batchSize: 5_000 }).catch((error: { code?: string }) => error)
      if (!Array.isArray(built)) problems.add(`fails: ${built.code} ${(built as Error).message}`)
      else
        for (const { statement, parameters } of built) {
          if (statement.startsWith('MERGE (n:') && parameters.name !== 'x')
            problems.add('a node without its properties')
          if (!statement.startsWith('MERGE (a:')) continue
          if (parameters.at === undefined) problems.add('a relationship without its properties')
          if (!String(parameters.a_id).startsWith('n')) problems.add('a relationship in the wrong direction')
        }
    })
    // The origin changes, and at times no node has the label.
    const isAllowed = (problem: string) => /^fails: (originChanged|nothingThere) /.test(problem)
    expect([...problems].filter((problem) => !isAllowed(problem))).toEqual([])
  },
)
