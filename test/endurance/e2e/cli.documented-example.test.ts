import { execFile, execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { emptyDirectory } from '../../support/clients/cli.ts'
import { prepareReplay } from '../../support/clients/cli-target.ts'
import { textOf } from '../../support/documents/manifests.ts'

const root = join(import.meta.dirname, '../../..')
const { org, label, driver, target, variables, neo4j, address, differing } = await prepareReplay(0)
await run(driver, `CREATE (:\`${label}\` {iata: 'SEA'})-[:FLIGHT {count: 7}]->(:\`${label}\` {iata: 'JFK'})`)
const origin = {
  PACKETS_ORIGIN_URL: neo4j.boltUrl,
  PACKETS_ORIGIN_USER: neo4j.username,
  PACKETS_ORIGIN_PASSWORD: neo4j.password,
}
const [, example = ''] = /\n```sh\n(.*?)\n```\n/s.exec(textOf('docs/client.md')) ?? []

test.each(['client/main.ts in a clone', 'packets.mjs, built into one file'])(
  'the documented example works with %s',
  async (which) => {
    const cwd = emptyDirectory()
    const built = join(emptyDirectory(), 'packets.mjs')
    if (which.startsWith('packets')) execFileSync(process.execPath, [join(root, 'dev/tools/build-cli.ts'), built])
    const file = which.startsWith('packets') ? built : join(root, 'client/main.ts')
    await run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
    const script = example
      .replaceAll('"Airport"', JSON.stringify(label))
      .replaceAll('acme', org)
      .replace('--ids', '--force --ids')
    const env = {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      ...variables,
      ...origin,
      TARGET: address.boltUrl,
    }
    const packets = `packets() { node '${file}' "$@"; }\n`
    const { stdout } = await promisify(execFile)('sh', ['-euc', packets + script], { cwd, env })
    expect(stdout).toContain(`\nairports.json\n`)
    expect(stdout).toContain(`CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.\`iata\` IS UNIQUE;`)
    expect(stdout).toContain('airports: replayed 1 part: ')
    expect(readdirSync(join(cwd, 'airports')).sort()).toEqual(['airports.json', 'manifest.json'])
    expect(await differing()).toEqual([])
  },
)
