import { afterAll, describe, expect, inject, test } from 'vitest'
import type { PublishAnswer } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { type DryRun, inTurn } from '../support/clients/dry-run.ts'
import { prepare } from '../support/clients/e2e.ts'
import { expectRefused } from '../support/clients/refusals.ts'

const { client, driver, org, label, ids, fields, neo4j } = await prepare(30)
await run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
const post = (query: string, body: object) =>
  inTurn(() => client.post<PublishAnswer & { dryRun: DryRun }>(`/1.0/publish/${query}`, body))
const foresee = async (body: object, path = '') => {
  const { status, body: answer, text } = await post(`${path}?dryRun=true`, body)
  expect([status, text]).toEqual([200, expect.stringContaining('"dryRun"')])
  return answer.dryRun
}
const request = { ...fields, originIds: [...ids.slice(0, 10), 'absent'] }

describe('a dry run', () => {
  test('a dry run says what the publish makes, and shows pairs of each kind', async () => {
    const found = await foresee({ ...request, deleteProperties: ['marker'] })
    expect(found).toMatchObject({
      complete: true,
      limit: null,
      subRequests: 1,
      subRequestsRead: 1,
      parts: 1,
      projected: null,
      statements: { nodeUpsert: 10, relationshipUpsert: 11, cleanup: 11, deleteProperties: 10, postback: 0 },
      nodes: { origin: 10, targeted: 10, farEnds: 2 },
      relationships: { KNOWS: 11 },
      unpublishable: { count: 0, first: [] },
      missing: { originIds: { count: 1, first: ['absent'] }, relationshipIds: { count: 0, first: [] } },
      requires: { server: '3.4', constraints: [{ label, property: 'id' }] },
      originIndexes: [{ origin: neo4j.boltUrl, label, property: 'id', kind: 'UNIQUE' }],
      warnings: [],
      wouldConflict: null,
    })
    expect(found.pairs).toBe(42)
    expect(found.largestPair?.about).toMatch(/^the cleanup of "KNOWS" at "p\d+"$/)
    const kinds = found.sample.map(({ statement }) => /REMOVE|-\[r:`KNOWS`\]->|SET n|DELETE r/.exec(statement)?.[0])
    expect(new Set(kinds.slice(0, 4)).size).toBe(4)
    expect(found.sample.length).toBe(10)
  })

  test('a dry run shows pairs as they would be written, numbers included', async () => {
    const one = uniqueName('Numbers')
    await run(driver, `CREATE (:\`${one}\` {id: 'a', whole: 1.0, large: 9007199254740993, minus: -0.0})`)
    const { text } = await post('?dryRun=true', { ...database(neo4j, one, 'id'), originIds: ['a'], metadata: true })
    const written = '"parameters":{"id":"a","large":"9007199254740993","minus":-0.0,"whole":1.0},"metadata":null}'
    expect(text).toContain(written)
  })

  test('a dry run of several slices lists missing ids in the order of the request', async () => {
    const absent = Array.from({ length: 65 }, (_, index) => `absent${index}`)
    const found = await foresee(
      absent.map((id) => ({ ...fields, relationships: undefined, originIds: [id] })),
      'multi',
    )
    expect(found.missing.originIds).toEqual({ count: 65, first: absent })
  })

  test('a dry run checks every address before it reads any origin, as the publish does', async () => {
    const nowhere = { ...request, mappedIndices: { DEFAULT_INDEX: uniqueName('Nowhere'), DEFAULT_ID_FIELD: 'id' } }
    const refused = { ...request, dbUrl: 'bolt://10.1.2.3:7687' }
    const { status, body } = await post('multi?dryRun=true', [nowhere, refused])
    expect([status, body.error]).toEqual([422, expect.stringContaining('dbUrl')])
  })

  test('a dry run stores nothing, and says if the name is taken', async () => {
    const named = { ...request, orgName: org, fileName: 'taken.json' }
    expect((await foresee(named)).wouldConflict).toBe(false)
    expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
    expect((await client.get<{ jobs: object[] }>(`/1.0/jobs?orgName=${org}`)).body.jobs).toEqual([])
    await client.post('/1.0/publish/', named)
    expect((await foresee(named)).wouldConflict).toBe(true)
    expect((await foresee([named], 'multi')).wouldConflict).toBe(true)
    const forced = await post('multi?dryRun=true&forceOverwrite=true', [named])
    expect(forced.body.dryRun.wouldConflict).toBe(false)
  })

  test('a dry run lists everything that publishes would name one by one when they fail', async () => {
    const odd = uniqueName('Odd')
    const bytes = new Int8Array([1])
    const nodes = `(a:\`${odd}\` {id: 'a', photo: $bytes, scan: $bytes}), (b:\`${odd}\` {id: 'b'}), (c:\`${odd}\`)`
    const more = `(:\`${odd}\` {id: 'd'}), (:\`${odd}\` {id: 'd'}), (:\`${odd}\`:\`x\\u005Cy\` {id: 'e'}), (f:\`${odd}\`)`
    const ends =
      "(a)-[:T {grn: 'r1', scan: $bytes}]->(b), (b)-[:T]->(a), (b)-[:T {grn: 'r2'}]->(c), (c)-[:T {grn: 'r3'}]->(f)"
    await run(driver, `CREATE ${nodes}, ${more} CREATE ${ends}`.replace(' CREATE (a)-', ', (a)-'), { bytes })
    const asked = {
      ...database(neo4j, odd, 'id'),
      originIds: ['a', 'b', 'd', 'e'],
      metadata: true,
      relationships: ['T'],
      relationshipIdField: 'grn',
    }
    const found = await foresee(asked)
    const listed = found.unpublishable.first.map(
      ({ element, reason }) => `${element === null ? '' : `${element} `}${reason}`,
    )
    expect(found.unpublishable.count).toBe(listed.length)
    const named: string[] = []
    for (;;) {
      const { status, body } = await client.post('/1.0/publish/', { ...asked, returnOnly: true })
      if (status === 200) break
      const message = (body.error as string).replace('422 Unprocessable Entity: ', '')
      named.push(message)
      await repair(message, odd)
    }
    expect(named.length).toBe(7)
    expect(listed.sort()).toEqual(named.sort())
    expect((await foresee(asked)).unpublishable.count).toBe(0)
  })

  /** Removes what an error names. */
  async function repair(message: string, odd: string) {
    const [, kind, id] = /^the (node|relationship) (\d+)/.exec(message) ?? []
    const [, property] = /as its property "(\w+)"/.exec(message) ?? []
    if (kind === undefined) await run(driver, `MATCH (n:\`${odd}\` {id: 'd'}) WITH n LIMIT 1 DELETE n`)
    else if (kind === 'node') {
      const change = property
        ? `REMOVE n.${property}`
        : message.includes('x\\\\y')
          ? 'REMOVE n:`x\\u005Cy`'
          : 'DETACH DELETE n'
      await run(driver, `MATCH (n) WHERE id(n) = ${id} ${change}`)
    } else await run(driver, `MATCH ()-[r]->() WHERE id(r) = ${id} ${property ? `REMOVE r.${property}` : 'DELETE r'}`)
  }
})

describe('a dry run is refused', () => {
  test.each([
    ['?dryRun=yes', 'dryRun: must be one of true, false'],
    ['?dryRun=', 'dryRun: must not be empty; dryRun: must be one of true, false'],
    ['?dryRun=true&dryRun=true', 'dryRun: must be given once'],
    ['?dryrun=true', 'dryrun: unknown field, did you mean `dryRun`?'],
  ])('a dry run is refused with %s', async (query, message) => {
    const named = { ...request, orgName: org, fileName: 'refused' }
    expectRefused(await post(query, named), 400, message)
    expectRefused(await post(`multi${query}`, [named]), 400, message)
  })

  test('a dry run is refused with returnOnly, on other endpoints, and as the publish would be', async () => {
    const rule = 'returnOnly: must not be true together with dryRun, which returns no packet'
    expectRefused(await post('?dryRun=true', { ...request, returnOnly: true }), 400, rule)
    expectRefused(await post('multi?dryRun=true', [{ ...request, returnOnly: true }]), 400, `[0].${rule}`)
    expectRefused(await client.post(`/1.0/publish/${org}?dryRun=true`), 400, 'dryRun: unknown parameter')
    for (const wrong of [
      { ...request, orgName: 'no-such-org', fileName: 'f' },
      { ...request, originIds: [], orgName: org, fileName: 'f' },
      { ...request, orgName: org, fileName: 'f', callbackUrl: 'https://hooks.example.org/packets' },
      {
        ...request,
        orgName: org,
        fileName: 'f',
        mappedIndices: { DEFAULT_INDEX: uniqueName('No'), DEFAULT_ID_FIELD: 'id' },
      },
    ]) {
      const { status, body } = await client.post('/1.0/publish/', wrong)
      expect([404, 400, 422]).toContain(status)
      expectRefused(await post('?dryRun=true', wrong), status, (body.error as string).replace(/^.*?: /, ''))
    }
    const closed = { ...request, dbUrl: 'bolt://127.0.0.1:1' }
    expectRefused(await post('?dryRun=true', closed), 502, 'the origin database could not be reached')
  })

  test('a dry run is refused for an org that the token does not cover', async () => {
    const { apiUrl, tokens } = inject('service')
    const { status } = await fetch(`${apiUrl}/1.0/publish/?dryRun=true`, {
      method: 'POST',
      body: JSON.stringify({ ...request, orgName: org }),
      headers: { Authorization: `Bearer ${tokens.acme}`, 'Content-Type': 'application/json' },
    })
    expect(status).toBe(404)
  })
})

test.each(['neo4j', 'legacy'] as const)('a dry run reports the index behind each id property: %s', async (name) => {
  const origin = inject('stack')[name] as Neo4jAddress
  const own = openDriver(origin)
  afterAll(() => own.close())
  const isLegacy = name === 'legacy'
  const [unique, indexed, bare] = ['Unique', 'Indexed', 'Bare'].map(uniqueName) as [string, string, string]
  await run(
    own,
    isLegacy
      ? `CREATE CONSTRAINT ON (n:${unique}) ASSERT n.id IS UNIQUE`
      : `CREATE CONSTRAINT FOR (n:${unique}) REQUIRE n.id IS UNIQUE`,
  )
  await run(own, isLegacy ? `CREATE INDEX ON :${indexed}(id)` : `CREATE INDEX FOR (n:${indexed}) ON (n.id)`)
  await run(own, `CREATE (:${unique} {id: 'a'})-[:T]->(:${indexed} {id: 'b'})-[:T]->(:${bare} {id: 'c'})`)
  const mapped = { DEFAULT_INDEX: unique, DEFAULT_ID_FIELD: 'id', [indexed]: 'id', [bare]: 'id' }
  const asked = { ...database(origin, unique, 'id'), mappedIndices: mapped, metadata: true, relationships: ['T'] }
  const requests = [
    { ...asked, originIds: ['a'] },
    { ...asked, index: indexed, originIds: ['b'] },
  ]
  const kindsOf = ({ originIndexes }: DryRun) =>
    Object.fromEntries(originIndexes.map(({ label, kind }) => [label, kind]))
  await expect
    .poll(async () => kindsOf(await foresee(requests, 'multi')), { timeout: 20_000 })
    .toEqual({ [unique]: 'UNIQUE', [indexed]: 'INDEX', [bare]: 'NONE' })
  const { warnings } = await foresee(requests, 'multi')
  expect(warnings).toEqual([`no index backs "id" of "${bare}": each read by it searches all nodes of the label`])
})
