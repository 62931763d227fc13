import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { prepare } from '../support/clients/e2e.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'
import { downloaded } from '../support/storage/manifest-of.ts'

const { client, org, ids, fields, label, driver } = await prepare(6)
const target = openDriver(inject('stack').legacy as Neo4jAddress)
afterAll(() => target.close())

const dollars = { orgName: org, parameterSyntax: 'dollar' }

/** Replays a stored packet, postback included. @returns the counts of its statements that are not 0. */
async function replayed(fileName: string): Promise<Record<string, number>> {
  const { manifest, parts } = await downloaded(client, org, fileName)
  expect(manifest).toMatchObject({ parameterSyntax: 'dollar', requires: { server: '3.4' } })
  const [constraint] = manifest.requires.constraints ?? []
  await run(target, constraint?.cypher['3.5'] as string)
  for (const pairs of parts.map((bytes) => parsePart(bytes.toString()))) {
    await replayInOrder(target, pairs)
    const metadata = pairs.at(-1)?.metadata as { postback?: { statements: typeof pairs } }
    await replayInOrder(target, metadata.postback?.statements ?? [])
  }
  return Object.fromEntries(Object.entries(manifest.statements ?? {}).filter(([, count]) => count > 0))
}

test('packets in dollars, of every kind of statement, run on Neo4j 3.5, the server that their manifests name', async () => {
  await run(driver, `MATCH (n:\`${label}\`) SET n.nick = 'x', n.at = datetime('2026-11-22T12:00:00[Europe/Berlin]')`)
  const options = { deleteProperties: ['nick'], timestampProperty: 'seen', postbackTimestamp: true }
  const publish = {
    ...fields,
    ...dollars,
    ...options,
    originIds: ids,
    timestampRelationships: true,
    fileName: 'upserts',
  }
  expect((await client.post('/1.0/publish/', publish)).status).toBe(200)
  const counts = { nodeUpsert: 6, relationshipUpsert: 6, cleanup: 6, deleteProperties: 6, postback: 12 }
  expect(await replayed('upserts')).toEqual(counts)

  const [startId, endId] = [ids[0], ids[3]] as [string, string]
  const ends = { startIndex: label, startIdField: 'id', endIndex: label, endIdField: 'id', type: 'LIKES' }
  const creates = { ...ends, ...dollars, idPairs: [{ startId, endId }], fileName: 'creates' }
  await client.post(`/1.0/publish/${org}/createrelationships`, { ...creates, orgName: undefined })
  expect(await replayed('creates')).toEqual({ relationshipCreate: 1 })
  const graph = `MATCH (n:\`${label}\`) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n), count(r), count(r.seen), count(n.nick)`
  expect(await run(target, graph)).toEqual([[6n, 7n, 6n, 0n]])

  const { mappedIndices } = fields
  const deletion = { mappedIndices, index: label, originIds: ids, fileName: 'deletes', parameterSyntax: 'dollar' }
  await client.post(`/1.0/publish/${org}/delete`, deletion)
  expect(await replayed('deletes')).toEqual({ nodeDelete: 1 })
  expect(await run(target, graph)).toEqual([[0n, 0n, 0n, 0n]])
  await run(target, `DROP CONSTRAINT ON (n:\`${label}\`) ASSERT n.\`id\` IS UNIQUE`)
})
