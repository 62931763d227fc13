import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { inSlices } from '../../dev/requests.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { prepare } from '../support/clients/e2e.ts'
import { downloaded, sha256Of, shapeOf } from '../support/storage/manifest-of.ts'

const { client, org, ids, fields, label, driver } = await prepare(120)

async function publish(fileName: string, requests: readonly object[], query = ''): Promise<JobRecord> {
  const body = requests.map((request) => ({ ...fields, orgName: org, fileName, ...request }))
  const { status, headers, text } = await client.post(`/1.0/publish/multi${query}`, body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return (await client.get<JobRecord>(headers.get('Location') as string)).body
}

/** The manifest of a packet, once it was compared with the parts that its links lead to. */
async function verified(fileName: string) {
  const { manifest, parts } = await downloaded(client, org, fileName)
  const pairs = parts.map((bytes) => parsePart(bytes.toString()))
  const digests = parts.map(sha256Of)
  expect(manifest.parts.map(({ url, ...part }) => part)).toEqual(
    parts.map((bytes, index) => ({
      fileName: parts.length === 1 ? fileName : `${fileName}Part${index + 1}of${parts.length}`,
      pairs: pairs[index]?.length,
      bytes: bytes.length,
      sha256: digests[index],
    })),
  )
  const total = { pairs: pairs.flat().length, bytes: parts.reduce((sum, { length }) => sum + length, 0) }
  expect(manifest).toMatchObject({ ...total, packet: `${org}/${fileName}`, sha256: sha256Of(digests.join('\n')) })
  const { postback, ...counts } = manifest.statements as Record<string, number>
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(manifest.pairs)
  expect(manifest.shape).toEqual(shapeOf(pairs.flat()))
  return manifest
}

const none = {
  nodeUpsert: 0,
  relationshipUpsert: 0,
  relationshipCreate: 0,
  cleanup: 0,
  deleteProperties: 0,
  nodeDelete: 0,
  relationshipDelete: 0,
  postback: 0,
}
const personConstraint = {
  label,
  property: 'id',
  cypher: {
    5: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.\`id\` IS UNIQUE`,
    3.5: `CREATE CONSTRAINT ON (n:\`${label}\`) ASSERT n.\`id\` IS UNIQUE`,
  },
}

test('the manifest of a packet of one part says what it is, what it holds, and what a target needs', async () => {
  const job = await publish('one', [{ originIds: ids.slice(0, 10) }])
  const manifest = await verified('one')
  expect(manifest).toEqual({
    packet: `${org}/one`,
    generation: 1,
    jobId: job.id,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    expiresAt: null,
    parameterSyntax: 'braces',
    numbers: 'plain',
    pairs: 31,
    bytes: expect.any(Number),
    sha256: expect.any(String),
    parts: manifest.parts,
    statements: { ...none, nodeUpsert: 10, relationshipUpsert: 11, cleanup: 10 },
    requires: { server: '3.4', constraints: [personConstraint] },
    report: job.report,
    shape: {
      counts: [
        { kind: 'nodeUpsert', label, count: 10 },
        { kind: 'relationshipUpsert', label, type: 'KNOWS', to: label, count: 11 },
        { kind: 'cleanup', label, type: 'KNOWS', count: 10 },
      ],
      others: 0,
    },
    base: null,
    state: null,
  })
  expect(Object.keys(manifest)[0]).toBe('packet')
  expect(job.report).toMatchObject({ collapsed: 0, missing: { originIds: { count: 0 } } })
})

test('the manifest of a packet of many parts describes them all', async () => {
  await publish('many', [{ originIds: ids, parameterSyntax: 'dollar', numbers: 'strict' }], '?batchsize=50')
  const manifest = await verified('many')
  expect(manifest.parts.length).toBe(8)
  expect(manifest).toMatchObject({ parameterSyntax: 'dollar', numbers: 'strict' })
  expect(manifest.statements).toEqual({ ...none, nodeUpsert: 120, relationshipUpsert: 120, cleanup: 120 })
})

test('the manifest of a multi has the totals of its sub-requests, and notes different forms of numbers', async () => {
  const [first, second] = [ids.slice(0, 5), ids.slice(50, 55)]
  await publish('multi', [
    { originIds: first, numbers: 'strict' },
    { originIds: second, relationships: [] },
  ])
  const manifest = await verified('multi')
  expect(manifest.numbers).toBe('mixed')
  expect(manifest.statements).toEqual({ ...none, nodeUpsert: 10, relationshipUpsert: 6, cleanup: 5 })
})

test('the manifest of a multi in slices has the digests and counts of all slices, and the job’s report', async () => {
  const requests = inSlices(ids, 2).map((originIds, index) => ({ originIds: [...originIds, `missing${index}`] }))
  expect(requests.length).toBe(60)
  const job = await publish('sliced', requests, '?batchsize=40')
  const manifest = await verified('sliced')
  expect(manifest.parts.length).toBe(12)
  expect(manifest).toMatchObject({ parameterSyntax: 'braces', numbers: 'plain', report: job.report })
  expect(manifest.report?.missing.originIds.count).toBe(60)
  // Each sub-request publishes the relationships of its two nodes, and cleans up at its missing id.
  expect(manifest.statements).toEqual({ ...none, nodeUpsert: 120, relationshipUpsert: 180, cleanup: 180 })
})

test('the manifest counts property removals, and counts postback statements in addition to the pairs', async () => {
  await run(driver, `MATCH (n:\`${label}\`) WHERE n.id IN $some SET n.nick = 'x'`, { some: ids.slice(0, 3) })
  const postback = { postbackTimestamp: true, timestampRelationships: true, timestampProperty: 'seenAt' }
  await publish('kinds', [{ originIds: ids.slice(0, 10), deleteProperties: ['nick'], ...postback }], '?batchsize=7')
  expect((await verified('kinds')).statements).toEqual({
    ...none,
    nodeUpsert: 10,
    relationshipUpsert: 11,
    cleanup: 10,
    deleteProperties: 3,
    postback: 21,
  })
})

test('a packet without pairs has a manifest, alone and in slices', async () => {
  const nothing = { originIds: ['nobody'], preventCleanup: true }
  for (const [fileName, count] of [
    ['empty', 1],
    ['empty-slices', 45],
  ] as const) {
    const job = await publish(fileName, Array(count).fill(nothing))
    const manifest = await verified(fileName)
    expect(manifest).toMatchObject({ pairs: 0, statements: none, report: job.report, requires: { constraints: [] } })
    expect(manifest.parts.length).toBe(1)
  }
})

test('packets of the delete and createrelationships endpoints have manifests', async () => {
  const { mappedIndices } = fields
  const deletion = {
    mappedIndices,
    index: label,
    originIds: ['a', 'b'],
    fileName: 'deleted',
    parameterSyntax: 'dollar',
  }
  expect((await client.post(`/1.0/publish/${org}/delete`, deletion)).status).toBe(200)
  const deleted = await verified('deleted')
  expect(deleted).toMatchObject({ parameterSyntax: 'dollar', statements: { ...none, nodeDelete: 1 } })
  expect(deleted.requires.constraints).toEqual([personConstraint])

  const ends = { startIndex: label, startIdField: 'id', endIndex: 'Movie', endIdField: 'title', type: 'LIKES' }
  const idPairs = [1, 2, 3].map((number) => ({ startId: `s${number}`, endId: `e${number}` }))
  await client.post(`/1.0/publish/${org}/createrelationships`, { ...ends, idPairs, fileName: 'created' })
  const created = await verified('created')
  expect(created).toMatchObject({ numbers: 'plain', statements: { ...none, relationshipCreate: 3 } })
  expect(created.requires.constraints?.map(({ label, property }) => [label, property])).toEqual([
    [label, 'id'],
    ['Movie', 'title'],
  ])
})

test('while a packet is overwritten, a manifest and its links are of one generation', async () => {
  const generations = new Set<number>()
  let isWriting = true
  const read = async () => {
    while (isWriting) generations.add((await verified('rewritten')).generation)
  }
  await publish('rewritten', [{ originIds: ids.slice(0, 4) }])
  const reading = read()
  for (const size of [3, 40, 7, 60, 5, 80]) {
    await publish('rewritten', [{ originIds: ids.slice(0, size) }], '?batchsize=10&forceOverwrite=true')
  }
  isWriting = false
  await reading
  expect(generations.size).toBeGreaterThan(1)
  expect((await verified('rewritten')).generation).toBe(7)
})

test('what a target needs includes the constraint by which cleanups find ids that the origin lacks', async () => {
  await publish('gone', [{ originIds: ['gone'] }])
  const manifest = await verified('gone')
  expect(manifest).toMatchObject({
    statements: { ...none, cleanup: 1 },
    requires: { constraints: [personConstraint] },
  })
})
