import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { prepare } from '../support/clients/e2e.ts'

const { client, driver, org, fields, label } = await prepare(30)
const { originIds: _, ...rest } = fields as Record<string, unknown>
const body = (changes: object) => ({ ...rest, select: [{ label }], orgName: org, ...changes })
const publish = (changes: object) => client.post('/1.0/publish/', body(changes))
const manifestOf = async (fileName: string) =>
  (await client.get<PacketManifest>(`/1.0/publish/${org}/${fileName}/manifest`)).body

expect((await publish({ fileName: 'whole' })).status).toBe(200)
expect((await publish({ fileName: 'base', asBase: true })).status).toBe(200)

test.each([
  [{ base: 'nothing' }, 409, 'base: the packet "nothing" does not exist in this org'],
  [{ base: 'whole' }, 409, 'base: the packet "whole" has no index: it was not published with asBase or base'],
  [
    { base: 'base', mappedIndices: { ...(rest.mappedIndices as object), Other: 'id' } },
    409,
    'base: the packet "base" was made with other mappedIndices',
  ],
  [{ deleteMissing: true }, 400, 'deleteMissing: needs base'],
  [{ base: 'base', deleteMissing: { atMost: 0 } }, 400, 'deleteMissing.atMost: must be more than 0'],
  [
    { base: 'base', only: { [label]: ['id'] } },
    409,
    'base: the packet "base" was made with other masks, or another key of them',
  ],
  [{ base: 'base', returnOnly: true, orgName: null }, 400, 'base: must not be given together with returnOnly'],
])('%j is refused, and nothing is stored', async (changes, status, message) => {
  const refused = await publish({ fileName: 'refused', ...changes })
  expect([refused.status, refused.body.error]).toEqual([status, expect.stringContaining(message)])
  expect((await client.get(`/1.0/publish/${org}/refused`)).status).toBe(404)
})

test('a dry run refuses a base, and takes asBase', async () => {
  const tried = (changes: object) => client.post('/1.0/publish/?dryRun=true', body({ fileName: 'tried', ...changes }))
  expect((await tried({ base: 'base' })).body.error).toContain('base: must not be given in a dry run')
  expect((await tried({ asBase: true })).status).toBe(200)
})

test('an unchanged graph gives a delta without pairs, in either syntax, and the same state', async () => {
  const answer = await publish({ fileName: 'same', base: 'base', parameterSyntax: 'dollar', deleteMissing: true })
  expect(answer.body).toMatchObject({ error: null, transactionRequest: { statements: [] } })
  const [base, same] = [await manifestOf('base'), await manifestOf('same')]
  expect(same).toMatchObject({
    pairs: 0,
    base: { packet: `${org}/base`, generation: 1, state: base.state?.sha256 },
    state: base.state && { sha256: base.state.sha256, pairs: base.state.pairs, nodes: 30, relationships: 30 },
  })
})

test('a stamp changes no pair', async () => {
  const stamps = { timestampRelationships: true, timestampProperty: 'stamp' }
  expect((await publish({ fileName: 'stamped', asBase: true, ...stamps })).status).toBe(200)
  expect(
    (await publish({ fileName: 'again', base: 'stamped', ...stamps })).body.transactionRequest?.statements,
  ).toEqual([])
})

test('what is missing stays without deleteMissing, is deleted with it, and beyond its share nothing is', async () => {
  await run(driver, `MATCH (n:\`${label}\`) WITH n ORDER BY n.id LIMIT 1 DETACH DELETE n`)
  expect((await publish({ fileName: 'kept', base: 'base' })).status).toBe(200)
  expect((await manifestOf('kept')).statements.nodeDelete).toBe(0)
  expect((await publish({ fileName: 'gone', base: 'base', deleteMissing: true })).status).toBe(200)
  expect((await manifestOf('gone')).statements.nodeDelete).toBe(1)
  await run(driver, `MATCH (n:\`${label}\`) WITH n ORDER BY n.id LIMIT 3 DETACH DELETE n`)
  const refused = await publish({ fileName: 'over', base: 'base', deleteMissing: true })
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(
      /deleteMissing: 4 of 30 nodes( and \d+ of 30 relationships)? of the base are missing, more than 10 %/,
    ),
  ])
  expect((await client.get(`/1.0/publish/${org}/over`)).status).toBe(404)
  expect((await publish({ fileName: 'over', base: 'base', deleteMissing: { atMost: 0.5 } })).status).toBe(200)
})

test('a masked delta follows a masked base, and names ids only by their hashes', async () => {
  const masked = { mask: { [label]: { id: 'hash' } }, deleteMissing: { atMost: 1 } }
  const { deleteMissing: _, ...mask } = masked
  expect((await publish({ fileName: 'masked', asBase: true, ...mask })).status).toBe(200)
  const [[id] = []] = await run(
    driver,
    `MATCH (n:\`${label}\`) WITH n LIMIT 1 WITH n, n.id AS id DETACH DELETE n RETURN id`,
  )
  const delta = await publish({ fileName: 'fewer', base: 'masked', ...masked })
  expect([delta.status, delta.text.includes(`"${id}"`)]).toEqual([200, false])
  expect((await publish({ fileName: 'all', asBase: true, ...mask })).status).toBe(200)
  const [fewer, all] = [await manifestOf('fewer'), await manifestOf('all')]
  expect([fewer.statements.nodeDelete, fewer.state?.sha256]).toEqual([1, all.state?.sha256])
  const unmasked = await publish({ fileName: 'refused', base: 'masked', deleteMissing: true })
  expect(unmasked.body.error).toContain('base: the packet "masked" was made with other masks')
})

test('what is skipped is not gone, nor are the nodes at its ends', async () => {
  const options = { relationshipIdField: 'rid', preventCleanup: true, onUnpublishable: 'skip' }
  const first = { ...options, select: [{ label, where: { id: 'hub' } }] }
  await run(driver, `CREATE (h:\`${label}\` {id: 'hub'})-[:KNOWS {rid: 1}]->(:\`${label}\` {id: 'far'})`)
  expect((await publish({ fileName: 'hub', asBase: true, ...first })).body.error).toBeNull()
  await run(driver, `MATCH (:\`${label}\` {id: 'hub'})-[r:KNOWS]->() REMOVE r.rid`)
  const delta = await publish({ fileName: 'skips', base: 'hub', ...first, deleteMissing: { atMost: 1 } })
  expect(delta.body.error).toBeNull()
  expect((await manifestOf('skips')).statements).toMatchObject({ nodeDelete: 0, relationshipDelete: 0 })
})

test('the sub-requests of a packet with a state map the same labels', async () => {
  const mappedIndices = { ...(rest.mappedIndices as object), Other: 'id' }
  const requests = [body({ fileName: 'multi', asBase: true }), body({ fileName: 'multi', mappedIndices })]
  const refused = await client.post('/1.0/publish/multi', requests)
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringContaining('[1].mappedIndices: must map the same labels as in [0], because the packet has a state'),
  ])
})
