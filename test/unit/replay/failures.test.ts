import { Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { describeFailure } from '../../../client/replay/run/failures.ts'

const failure = (message: string, code: string, description = '') =>
  new Neo4jError(message, code as never, '22N00', description)

test('a failure is described by its code and all lines of its message', () => {
  expect(describeFailure(failure('cannot\n  because of it\n', 'Neo.ClientError.Schema.Failed'))).toBe(
    'Neo.ClientError.Schema.Failed: cannot because of it',
  )
})

test('a failure without a message is described by its status, or said to have no reason', () => {
  expect(describeFailure(failure('', 'N/A', 'error: data exception'))).toBe('error: data exception')
  expect(describeFailure(failure(' ', 'N/A'))).toBe('the server gives no reason')
})

test('a server of Bolt 3 that is asked for a database is said to name none', () => {
  const message =
    'Driver is connected to the database that does not support multiple databases. Please upgrade to neo4j 4.0.0 or later in order to use this functionality'
  expect(describeFailure(failure(message, 'N/A'))).toBe(
    'it speaks Bolt 3 or earlier, in which no database can be named; omit --database',
  )
})
