import { afterAll, inject } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { runCli } from './cli.ts'
import { prepare } from './e2e.ts'

/** A graph at the origin with its own label, an org, and a target that the client replays into. */
export async function prepareReplay(people: number) {
  const { apiUrl, tokens } = inject('service')
  const address = inject('stack').target as Neo4jAddress
  const prepared = await prepare(people)
  const { driver: origin, label, org, fields } = prepared
  const target = openDriver(address)
  const clearTarget = () => run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  afterAll(async () => {
    await clearTarget()
    await target.close()
  })
  const variables = {
    PACKETS_URL: apiUrl,
    PACKETS_TOKEN: tokens.all as string,
    PACKETS_TARGET_PASSWORD: address.password,
  }
  const to = ['--to', address.boltUrl, '--user', address.username]
  const packets = (words: readonly string[], input?: string | Buffer) => runCli(words, variables, input)
  return {
    ...prepared,
    target,
    clearTarget,
    variables,
    to,
    packets,
    address,
    replay: (source: string, ...words: string[]) => packets(['replay', source, ...to, ...words]),
    /** Publishes these ids, or all, under a name. */
    async publish(name: string, originIds: readonly string[] = prepared.ids, more: object = {}) {
      const request = { ...fields, originIds, orgName: org, fileName: name, parameterSyntax: 'dollar', ...more }
      const { code, stderr } = await packets(['publish', '-', '--force'], JSON.stringify(request))
      if (code !== 0) throw new Error(stderr)
    },
    /** How the target differs from the origin. */
    differing: async () => differences(await readGraph(origin, label), await readGraph(target, label)),
    count: async () => Number((await run(target, `MATCH (n:\`${label}\`) RETURN count(n)`))[0]?.[0]),
  }
}
