import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { emptyDirectory, spawnCli } from './cli.ts'
import { prepareReplay } from './cli-target.ts'

/** A graph and a target as for a replay, and runs of `packets copy` between them. */
export async function prepareCopies(people: number) {
  const prepared = await prepareReplay(people)
  const { org, ids, fields, to, variables, packets, label, target } = prepared
  const rankIsUnique = `${label}-rank`
  afterAll(() => run(target, `DROP CONSTRAINT \`${rankIsUnique}\` IF EXISTS`))

  /** Makes the target refuse one of the nodes, so that a replay ends early. */
  async function obstruct() {
    const unique = `FOR (n:\`${label}\`) REQUIRE n.rank IS UNIQUE`
    await run(target, `CREATE CONSTRAINT \`${rankIsUnique}\` IF NOT EXISTS ${unique}`)
    await run(target, `CREATE (:\`${label}\` {id: 'in the way', rank: 150})`)
  }
  const makeWay = () => run(target, `MATCH (n:\`${label}\` {id: 'in the way'}) DELETE n`)

  /** Runs `packets copy` in a directory of its own. */
  function prepareCopy(name: string, more = {}) {
    const cwd = emptyDirectory()
    const request = { ...fields, originIds: ids, orgName: org, fileName: name, parameterSyntax: 'dollar', ...more }
    const rewrite = (changed: object) =>
      writeFileSync(join(cwd, 'request.json'), JSON.stringify({ ...request, ...changed }))
    rewrite({})
    const remembered = () => readdirSync(join(cwd, '.packets'))
    const copy = (words: string[]) => spawnCli(['copy', 'request.json', ...to, ...words], variables, { cwd })
    const jobs = async () => (await packets(['jobs', org, '--json', '--limit', '1000'])).stdout
    /** How many jobs have made this packet. */
    const made = async () =>
      JSON.parse(await jobs()).jobs.filter((one: { fileName: string }) => one.fileName === name).length
    return { copy, rewrite, remembered, made, cwd }
  }

  return { ...prepared, prepareCopy, obstruct, makeWay }
}
