import { expect, inject, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import type { DryRun } from '../../wire/dry-run.ts'
import { inTurn } from '../support/clients/dry-run.ts'
import { prepare } from '../support/clients/e2e.ts'

const { client, driver, org, fields, label, ids } = await prepare(30)
await run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
const { originIds: _, ...rest } = fields as Record<string, unknown>
const body = (changes: object) => ({ ...rest, select: [{ label }], orgName: org, ...changes })

const tryRun = (changes: object) =>
  inTurn(() => client.post<{ dryRun: DryRun }>('/1.0/publish/?dryRun=true', body(changes)))

const texts = (answer: { transactionRequest: { statements: { statement: string; parameters: object }[] } | null }) =>
  (answer.transactionRequest?.statements ?? [])
    .map(({ statement, parameters }) => JSON.stringify([statement, parameters]))
    .sort()

test('a selected label is published as its ids are, stored or returned, and the job says what was selected', async () => {
  const listed = await client.post('/1.0/publish/', { ...fields, originIds: ids, returnOnly: true })
  const returned = await client.post('/1.0/publish/', body({ orgName: null, returnOnly: true }))
  const stored = await client.post('/1.0/publish/', body({ fileName: 'selected' }))
  expect([returned.status, stored.status, stored.body.error]).toEqual([200, 200, null])
  expect(texts(returned.body)).toEqual(texts(listed.body))
  expect(texts(stored.body)).toEqual(texts(listed.body))
  const { body: job } = await client.get<JobRecord>(stored.headers.get('Location') as string)
  expect(job.report?.selection).toEqual({
    from: expect.any(String),
    to: expect.any(String),
    nodes: 30,
    gone: 0,
    indices: [],
    withoutIdentity: [],
  })
})

test('a dry run says how many nodes and relationships a selection takes', async () => {
  const { status, body: answer } = await tryRun({})
  const { complete, selections, nodes } = answer.dryRun
  expect([status, complete, nodes.targeted]).toEqual([200, true, 30])
  expect(selections).toMatchObject([{ subRequest: 0, element: 0, label, nodes: 30, indexes: null }])
  await run(driver, `MATCH (n:\`${label}\`) SET n.group = 1`)
  const where = await tryRun({
    select: [
      { label, where: { id: ids.slice(0, 2) } },
      { label, where: { group: 1 } },
    ],
  })
  expect(where.body.dryRun.selections).toMatchObject([
    { element: 0, nodes: 2, indexes: ['id'] },
    { element: 1, nodes: 30, indexes: [] },
  ])
  expect(where.body.dryRun.warnings.join()).toContain('no index backs the where of select[1]')
  // The nodes of both elements count twice in `selections`, but all of them were read.
  expect(where.body.dryRun).toMatchObject({ complete: true, limit: null, projected: null })
})

test('a dry run of a selection is complete with 2,000 nodes, and projects more', async () => {
  const many = uniqueName('Many')
  const tried = async () => {
    const { mappedIndices } = database(inject('stack').neo4j, many, 'id')
    const answer = await tryRun({ select: [{ label: many }], mappedIndices, relationships: [] })
    expect(answer.text).toContain('"dryRun"')
    return answer.body.dryRun
  }
  await run(driver, `UNWIND range(1, 2000) AS id CREATE (:\`${many}\` {id: id})`)
  expect(await tried()).toMatchObject({ complete: true, pairs: 2_000, projected: null })
  await run(driver, `UNWIND range(2001, 4000) AS id CREATE (:\`${many}\` {id: id})`)
  expect(await tried()).toMatchObject({
    complete: false,
    limit: 'nodes',
    pairs: 2_000,
    projected: { by: 'nodes', pairs: 4_000 },
  })
  await run(driver, `MATCH (n:\`${many}\`) DELETE n`)
})

test.each([
  [{ maxNodes: 29 }, '413', 'maxNodes: the origin has more nodes than the 29 of maxNodes'],
  [{ select: [{ label, where: { id: 'nobody' } }] }, '422', 'select: the origin has no such node'],
  [{ select: [{ label, where: { idd: 'p' } }] }, '422', 'select[0].where.idd: the origin has no property "idd"'],
  [{ originIds: ['p'] }, '400', 'originIds: must not be given together with select'],
])('%j is refused, and nothing is stored', async (changes, status, message) => {
  const refused = await client.post('/1.0/publish/', body({ fileName: 'refused', ...changes }))
  expect(String(refused.status)).toBe(status)
  expect(refused.body.error).toContain(message)
  expect((await client.get(`/1.0/publish/${org}/refused`)).status).toBe(404)
})
