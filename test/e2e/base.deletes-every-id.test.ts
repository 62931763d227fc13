import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { TargetAddress } from '../../dev/stack/stack.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'

const stack = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [origin, target] = [openDriver(stack.neo4j), openDriver(stack.target as TargetAddress)]
afterAll(async () => {
  await origin.close()
  await target.close()
})

const ids = [
  "'a'",
  "'7'",
  '7',
  '2.5',
  'true',
  "date('2024-02-29')",
  "localtime('12:00')",
  "time('12:00+01:00')",
  "localdatetime('2024-01-01T00:00')",
  "datetime('2024-01-01T00:00[Europe/Paris]')",
  "duration('P1DT2S')",
  'point({x: 1, y: 2})',
  "['a', 'b']",
  '[1, 2]',
  '[1.5, 2.0]',
  "[date('2024-01-01'), date('2024-01-02')]",
  '[point({x: 1, y: 2})]',
]

test.each(['plain', 'strict'])(
  'nodes and relationships with ids of every type are deleted, numbers %s',
  async (numbers) => {
    const [label, org] = [uniqueName('Id'), uniqueName('org')]
    await client.post(`/1.0/publish/${org}`)
    const packet = async (fileName: string, changes: object) => {
      const { dbUrl, credentials, mappedIndices } = database(stack.neo4j, label, 'id')
      const common = { dbUrl, credentials, mappedIndices, select: [{ label }], relationships: ['IS>'], metadata: true }
      const options = { preventCleanup: true, relationshipIdField: 'id', parameterSyntax: 'dollar', numbers }
      const answer = await client.post('/1.0/publish/', { ...common, ...options, orgName: org, fileName, ...changes })
      expect(answer.body.error).toBeNull()
      const { body } = await client.get<PacketManifest>(`/1.0/publish/${org}/${fileName}/manifest?lifetime=60`)
      const parts = body.parts.map(async ({ url }) => parsePart(await (await fetch(url as string)).text()))
      await replayInOrder(target, (await Promise.all(parts)).flat())
      return body.statements
    }
    const count = (what: string) => run(target, `MATCH (n:${label})-[r]->() RETURN count(${what}) AS count`)
    await run(origin, `CREATE (:${label} {id: 'stays'}), (:${label} {id: 'too'})`)
    for (const id of ids)
      await run(
        origin,
        `MATCH (s:${label} {id: 'stays'}), (t:${label} {id: 'too'}) CREATE (n:${label} {id: ${id}}), (s)-[:IS {id: ${id}}]->(t), (n)-[:IS {id: 1}]->(s)`,
      )
    await packet('whole', { asBase: true })
    expect(await count('r')).toEqual([[BigInt(2 * ids.length)]])
    // The relationships between nodes that stay are deleted by their own ids.
    await run(origin, `MATCH (:${label} {id: 'stays'})-[r]->() DELETE r`)
    const relationships = await packet('fewer', { base: 'whole', deleteMissing: { atMost: 1 } })
    expect(relationships.relationshipDelete).toBeGreaterThan(0)
    expect(await run(target, `MATCH (:${label} {id: 'stays'})-[r]->() RETURN r.id`)).toEqual([])
    expect(await count('r')).toEqual([[BigInt(ids.length)]])
    await run(origin, `MATCH (n:${label}) WHERE NOT n.id IN ['stays', 'too'] DETACH DELETE n`)
    await packet('few', { base: 'fewer', deleteMissing: { atMost: 1 } })
    expect(await run(target, `MATCH (n:${label}) RETURN n.id ORDER BY n.id`)).toEqual([['stays'], ['too']])
  },
)
