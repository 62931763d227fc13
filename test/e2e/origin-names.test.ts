import { afterAll, expect, onTestFinished, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { OriginNames } from '../../wire/origin-names.ts'
import { inTurn } from '../support/clients/dry-run.ts'
import { prepare } from '../support/clients/e2e.ts'

const { client, driver, fields } = await prepare(1)
const { dbUrl, credentials } = fields
const names = (body: object) => inTurn(() => client.post<OriginNames>('/1.0/origin/names', body))

// They sort before those of other tests.
const [label, type] = [uniqueName('!Named'), uniqueName('!NAMED')]
await run(driver, `CREATE (:\`${label}\` {id: 1})-[:\`${type}\`]->(:\`${label}x\`)`)
await run(driver, `CREATE CONSTRAINT \`${label}\` FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
afterAll(() => run(driver, `DROP CONSTRAINT \`${label}\``))

test('an origin names its labels, types and unique properties, in order', async () => {
  const { status, body } = await names({ dbUrl, credentials, database: 'neo4j' })
  expect(status).toBe(200)
  expect(body.labels.filter((one) => one.startsWith(label))).toEqual([label, `${label}x`])
  expect(body.relationshipTypes).toContain(type)
  expect(body.identities?.filter((one) => one.label === label)).toEqual([{ label, property: 'id' }])
  expect(body.labels).toEqual([...body.labels].sort())
})

test('names that no request may have do not take the place of others, and null is as absent', async () => {
  // They sort first. An origin names labels only while a node has them.
  const odd = Array.from({ length: 1_100 }, (_, at) => `:\`\\u0001${label}${at}\``)
  await run(driver, `CREATE (n${odd.join('')} {odd: '${label}'})`)
  onTestFinished(() => run(driver, `MATCH (n {odd: '${label}'}) DELETE n`).then(() => {}))
  const { status, body } = await names({ dbUrl, credentials, database: null, bookmarks: null })
  expect(status).toBe(200)
  expect(body.labels).toContain(label)
  expect(body.labels.filter((one) => one.includes('\u0001'))).toEqual([])
})

test.each([
  [{ dbUrl }, 400, 'credentials: required'],
  [{ dbUrl, credentials, label: 'A' }, 400, 'label: unknown'],
  [{ dbUrl: 'http://a.example', credentials }, 400, 'dbUrl: '],
  [{ dbUrl: 'bolt://127.0.0.2:1', credentials }, 422, 'dbUrl: '],
  [{ dbUrl, credentials: 'Basic YTpi' }, 502, 'refused the credentials'],
  [{ dbUrl, credentials, database: 'absent' }, 422, 'database: '],
])('%j is %i', async (body, status, message) => {
  const answer = await names(body)
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)])
})
