import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'

/** Ids of different types may have the same text in a packet, such as a date and a string. They stay distinct. */

const { neo4j } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

async function publishOf(ids: readonly string[], fields: object = {}) {
  const label = uniqueName('Day')
  const created = ids.map((id) => `CREATE (root)-[:HAS]->(:${label} {id: ${id}})`).join(' ')
  await run(driver, `CREATE (root:${label} {id: 'root'}) ${created}`)
  return client.post('/1.0/publish/', {
    ...database(neo4j, label, 'id'),
    originIds: ['root'],
    toLayer: ['HAS>'],
    metadata: true,
    returnOnly: true,
    ...fields,
  })
}

const idsIn = (text: string) =>
  JSON.parse(text).transactionRequest.statements.map((pair: { parameters: object }) => pair.parameters)

test('a string and a date with the same text are two nodes', async () => {
  const { status, text } = await publishOf(["'2020-01-01'", "date('2020-01-01')"])
  expect(status).toBe(200)
  expect(idsIn(text)).toHaveLength(2)
})

test.each([
  ['two dates beside a string of their text', ["date('2020-01-01')", "date('2020-01-01')", "'2020-01-01'"]],
  ['lists of equal numbers', ['[1, 2]', '[1.0, 2.0]']],
])('%s are a duplicate', async (_what, ids) => {
  const { status, body } = await publishOf(ids)
  expect([status, body.error]).toEqual([422, expect.stringContaining('more than one node with label')])
})

test('where a duplicate is skipped, a node whose id merely has the same text is not', async () => {
  const { text } = await publishOf(["date('2020-01-01')", "date('2020-01-01')", "'2020-01-01'"], {
    onUnpublishable: 'skip',
  })
  expect(idsIn(text)).toEqual([{ id: '2020-01-01' }])
})
