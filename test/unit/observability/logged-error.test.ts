import { Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { AppError } from '../../../shared/errors/app-error.ts'
import { loggedError } from '../../../shared/observability/logged-error.ts'

const canary = 'canary-secret'

/** Errors as the clients of Redis, S3, HTTP and Neo4j throw them, with secrets in their properties. */
const redis = () =>
  Object.assign(new Error('WRONGPASS'), {
    command: { name: 'hello', args: ['3', 'AUTH', 'default', canary] },
    lastNodeError: Object.assign(new Error('x'), { command: { name: 'auth', args: [canary] } }),
    previousErrors: [Object.assign(new Error('x'), { command: { name: 'set', args: ['key', canary] } })],
  })
const s3 = () =>
  Object.assign(new Error('SignatureDoesNotMatch'), {
    code: 'SignatureDoesNotMatch',
    amzRequestid: 'request-1',
    awsaccesskeyid: canary,
    stringtosign: canary,
    headers: { authorization: canary },
  })
const http = () =>
  Object.assign(new Error('failed'), {
    status: 502,
    config: { headers: { Authorization: canary } },
    request: { _header: canary },
    input: `https://user:${canary}@host/`,
  })

test.each([
  ['an error of Redis', redis()],
  ['an error of S3', s3()],
  ['an error of HTTP', http()],
  ['what caused an error', new AppError(503, 'queueAway', 'away', { cause: new Error('x', { cause: redis() }) })],
  ['several errors at once', new AggregateError([redis(), new AggregateError([s3()]), http()])],
  ['a driver error that names its token', Object.assign(new Neo4jError('x', 'c', '', ''), { authToken: { canary } })],
  ['what is no error', { credentials: canary, toJSON: () => canary }],
])('%s is logged without its secrets', (_what, error) => {
  expect(JSON.stringify(loggedError(error))).not.toContain(canary)
})

test('an error is logged with its causes, its code and the name of its command', () => {
  const error = new AppError(503, 'queueAway', 'the job queue does not answer', { cause: redis() })
  expect(loggedError(error)).toEqual({
    type: 'AppError',
    message: 'the job queue does not answer',
    stack: error.stack,
    code: 'queueAway',
    status: 503,
    cause: { type: 'Error', message: 'WRONGPASS', stack: expect.stringContaining('WRONGPASS'), command: 'hello' },
  })
})

test('circular causes terminate', () => {
  const error = new Error('a')
  error.cause = error
  expect(JSON.stringify(loggedError(error)).length).toBeLessThan(100_000)
})

test('a thrown string is logged as is', () => {
  expect(loggedError('no')).toBe('no')
})
