import { Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { UnknownBoltVersion } from '../../../packet/packstream/handshake-answer.ts'
import { DuplicateError, isTransient, translated } from '../../../shared/models/failures.ts'

const failure = (code: string, message = 'bolt://10.0.0.1: internal text') => new Neo4jError(message, code, '', '')
const violation = (property: string) =>
  failure(
    'Neo.ClientError.Schema.ConstraintValidationFailed',
    `Node(7) already exists with label \`GraphPacketsRecord\` and property \`${property}\` = 5`,
  )

test.each([
  ['a deadlock', failure('Neo.TransientError.Transaction.DeadlockDetected'), true],
  ['a record deleted under it', failure('Neo.ClientError.Statement.EntityNotFound'), true],
  ['schema changes that met', failure('Neo.DatabaseError.Schema.ConstraintCreationFailed'), true],
  ['a violated constraint', violation('uniqueKey'), false],
  // The transaction may have been committed, so a retry could apply it twice.
  ['a connection that broke off', failure('ServiceUnavailable'), false],
  ['a wrong query', failure('Neo.ClientError.Statement.SyntaxError'), false],
  ['anything else', new TypeError('odd'), false],
])('%s is retried: %s', (_what, error, expected) => {
  expect(isTransient(error)).toBe(expected)
})

test.each([
  'ServiceUnavailable',
  'SessionExpired',
  'N/A',
  'Neo.TransientError.General.DatabaseUnavailable',
  'Neo.TransientError.Transaction.DeadlockDetected',
  'Neo.ClientError.Security.Unauthorized',
  'Neo.ClientError.Database.DatabaseNotFound',
  'Neo.DatabaseError.General.UnknownError',
])('%s is reported as an unavailable database, without the message of the server', (code) => {
  expect(translated(failure(code))).toMatchObject({
    status: 503,
    message: 'the manager database does not answer; try again later',
    headers: { 'Retry-After': '5' },
  })
})

test('a server that speaks no common version of Bolt is reported as an unavailable database', () => {
  const error = new UnknownBoltVersion(Buffer.alloc(4))
  expect(translated(error)).toMatchObject({ status: 503, code: 'managerAway', cause: error })
})

test.each([
  ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', 'managerMemoryLimit', /memory limit for transactions/],
  ['Neo.TransientError.General.TransactionOutOfMemoryError', 'managerMemoryLimit', /memory limit for transactions/],
  ['Neo.ClientError.Transaction.TransactionTimedOut', 'managerTimeLimit', /exceeded the time limit/],
  ['Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration', 'managerTimeLimit', /exceeded the time limit/],
])('%s is reported as the limit that was exceeded', (code, told, message) => {
  const error = translated(failure(code))
  expect(error).toMatchObject({ status: 503, code: told, message: expect.stringMatching(message) })
  expect(String(error)).not.toContain('internal text')
})

test('a violated uniqueness constraint is a duplicate; our own errors are passed through', () => {
  expect(translated(violation('uniqueKey'))).toBeInstanceOf(DuplicateError)
  const ours = failure('Neo.ClientError.Statement.SyntaxError')
  expect(translated(ours)).toBe(ours)
})
