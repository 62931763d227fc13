import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { readGraph } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { drawCanary, testInertData } from './suites/inert-data.ts'

const { neo4j } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

testInertData('Neo4j 5 into Neo4j 3.5')

// Escaped for Cypher: a backslash inside a name must itself be written as an escape.
const escaped = 'x\\u005Cu0060) DETACH DELETE n //'
const unescaped = JSON.stringify('x\\u0060) DETACH DELETE n //')

test.each([
  [
    'label',
    (label: string) => `(:${label}:\`${escaped}\` {id: 'a'})`,
    `bears a label ${unescaped} that no statement can name`,
  ],
  [
    'key',
    (label: string) => `(:${label} {id: 'a', \`${escaped}\`: 1})`,
    `has a property key ${unescaped} that no statement can name`,
  ],
  [
    'key of a relationship',
    (label: string) => `(a:${label} {id: 'a'})-[:T {\`${escaped}\`: 1}]->(a)`,
    `has a property key ${unescaped} that no statement can name`,
  ],
])('a %s that contains an escaped backtick is refused, and the origin is unchanged', async (_name, pattern, error) => {
  const mark = uniqueName('Escape')
  await run(driver, `CREATE ${pattern(mark)}`)
  await drawCanary(driver, mark)
  const before = await readGraph(driver, mark)
  const request = {
    ...database(neo4j, mark, 'id'),
    originIds: ['a'],
    relationships: ['T'],
    metadata: true,
    returnOnly: true,
  }
  const answer = await client.post('/1.0/publish/', request)
  expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining(error)])
  expect((await client.post('/1.0/publish/', { ...request, onUnpublishable: 'skip' })).status).toBe(200)
  expect(await readGraph(driver, mark)).toEqual(before)
})
