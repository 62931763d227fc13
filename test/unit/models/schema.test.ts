import { Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { createSchema } from '../../../shared/models/schema.ts'

const failure = (code: string) => new Neo4jError('', code, '', '')

/** The queries run against a server that responds as `answer` does. */
async function queriesOf(answer: (query: string) => Error | null): Promise<string[]> {
  const queries: string[] = []
  await createSchema(async (query) => {
    queries.push(query)
    const error = answer(query)
    if (error) throw error
  })
  return queries
}

test('each constraint is created in the current syntax', async () => {
  expect(await queriesOf(() => null)).toMatchInlineSnapshot(`
    [
      "CREATE CONSTRAINT graph_packets_record_grn IF NOT EXISTS FOR (n:GraphPacketsRecord) REQUIRE n.grn IS UNIQUE",
      "CREATE CONSTRAINT graph_packets_record_id IF NOT EXISTS FOR (n:GraphPacketsRecord) REQUIRE n.id IS UNIQUE",
      "CREATE CONSTRAINT graph_packets_record_uniqueKey IF NOT EXISTS FOR (n:GraphPacketsRecord) REQUIRE n.uniqueKey IS UNIQUE",
    ]
  `)
})

test('a server that does not support the current syntax gets the older one', async () => {
  const queries = await queriesOf((query) =>
    query.includes('REQUIRE') ? failure('Neo.ClientError.Statement.SyntaxError') : null,
  )
  expect(queries.filter((query) => !query.includes('REQUIRE'))).toMatchInlineSnapshot(`
    [
      "CREATE CONSTRAINT ON (n:GraphPacketsRecord) ASSERT n.grn IS UNIQUE",
      "CREATE CONSTRAINT ON (n:GraphPacketsRecord) ASSERT n.id IS UNIQUE",
      "CREATE CONSTRAINT ON (n:GraphPacketsRecord) ASSERT n.uniqueKey IS UNIQUE",
    ]
  `)
})

test('an existing constraint is not a failure; any other error is', async () => {
  const there = await queriesOf(() => failure('Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists'))
  expect(there).toHaveLength(3)
  await expect(queriesOf(() => failure('ServiceUnavailable'))).rejects.toThrow(Neo4jError)
})
