import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress, TargetAddress } from '../../../dev/stack/stack.ts'
import { drawing, kinds, movieIds, personIds } from '../../replay/sample-graph.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: TargetAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [origin, copy] = [openDriver(neo4j), openDriver(target)]
afterAll(() => Promise.all([origin.close(), copy.close()]))

/** Sends the part unmodified: nothing parses it between the store and the database. Contract 6. */
async function commit(part: ArrayBuffer): Promise<{ status: number; errors: unknown[]; results: number }> {
  const credentials = Buffer.from(`${target.username}:${target.password}`).toString('base64')
  const answer = await fetch(`${target.httpUrl}/db/neo4j/tx/commit`, {
    method: 'POST',
    headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/json' },
    body: part,
  })
  const { errors, results } = (await answer.json()) as { errors: { code: string }[]; results: unknown[] }
  // A constraint that another test creates at the same time aborts every write.
  if (errors.some(({ code }) => code.startsWith('Neo.TransientError.'))) return commit(part)
  return { status: answer.status, errors, results: results.length }
}

test('part files sent to the transactional HTTP endpoint reproduce every type, in any order', async () => {
  const [mark, org] = [uniqueName('Http'), uniqueName('org')]
  const { person, movie } = kinds(mark)
  for (const query of drawing(mark)) await run(origin, query)
  await client.post(`/1.0/publish/${org}`)
  const fields = { ...database(neo4j, person, 'id', { [movie]: 'title' }), metadata: true, parameterSyntax: 'dollar' }
  const relationships = ['KNOWS', 'LIKES', 'ODD `TYPE']
  const { body } = await client.post('/1.0/publish/multi?batchsize=100', [
    { ...fields, originIds: personIds, relationships, orgName: org, fileName: 'graph.json' },
    { ...fields, index: movie, originIds: movieIds, relationships },
  ])
  expect([body.error, body.fileLocations?.length]).toEqual([null, 4])
  const parts = await Promise.all((body.fileLocations ?? []).map(async (url) => (await fetch(url)).arrayBuffer()))
  const sizes = body.transactionRequests?.map(({ statements }) => statements.length) ?? []
  for (const [index, part] of [...parts.entries(), ...parts.entries()].reverse()) {
    expect(await commit(part)).toEqual({ status: 200, errors: [], results: sizes[index] })
  }
  const [expected, actual] = [await readGraph(origin, mark), await readGraph(copy, mark)]
  expect([expected.nodes.length, expected.relationships.length]).toEqual([63, 65])
  expect(differences(expected, actual)).toEqual([])
})
