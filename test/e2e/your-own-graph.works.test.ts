import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import { fileOf } from '../../dev/service.ts'
import { emptyDirectory } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'
import { textOf } from '../support/documents/manifests.ts'

const root = join(import.meta.dirname, '../..')
const { label, driver, target, variables, neo4j, address, differing } = await prepareReplay(0)

test('every command of the page for your own graph works, in its order', async () => {
  await run(
    driver,
    `CREATE (a:\`${label}\` {id: 'ann', age: 40})-[:KNOWS {since: 2020}]->(:\`${label}\` {id: 'bob'}), (a)-[:KNOWS]->(a)`,
  )
  const page = textOf('docs/your-own-graph.md')
  const blocks = [...page.matchAll(/\n```sh\n(.*?)\n```\n/gs)].map(([, text]) => text as string)
  const [start = '', shell = '', ...commands] = blocks
  const first = commands.slice(0, 5)
  expect([start, shell, commands.length]).toEqual([
    'ORIGIN_ALLOW=db.example.com:7687 npm start',
    expect.stringContaining('export PACKETS_ORIGIN_URL='),
    7,
  ])
  const named = new Set([...shell.matchAll(/(\w+)=/g)].map(([, name]) => name as string))
  const env: Record<string, string> = {
    ...variables,
    PATH: [dirname(process.execPath), process.env.PATH].join(':'),
    PACKETS_ORIGIN_URL: neo4j.boltUrl,
    PACKETS_ORIGIN_USER: neo4j.username,
    PACKETS_ORIGIN_PASSWORD: neo4j.password,
    TARGET: address.boltUrl,
  }
  expect([...named].filter((name) => !(name in env))).toEqual([])
  const org = uniqueName('org')
  const packets = `packets() { node '${join(root, fileOf('client'))}' "$@"; }\n`
  const options = { cwd: emptyDirectory(), env }
  const paste = async (lines: string[]) => {
    const script = lines.join('\n').replaceAll('"Person"', JSON.stringify(label)).replaceAll('acme', org)
    return (await promisify(execFile)('sh', ['-euc', packets + script], options)).stdout
  }
  expect(await paste(first)).toContain('the target agrees')
  expect(await differing()).toEqual([])
  await run(driver, `MATCH (n:\`${label}\` {id: 'ann'}) SET n.age = 41`)
  await run(driver, `MATCH (n:\`${label}\` {id: 'bob'}) DETACH DELETE n`)
  expect(await paste(commands.slice(5, 6))).toContain('the target agrees')
  expect(await differing()).toEqual([])
  expect(await paste(commands.slice(6))).toContain(`masks 1 value of ${label}.age by hash`)
  await run(target, `MATCH (n:\`${label}\`) SET n.age = 42`)
  expect(await differing()).not.toEqual([])
})
