import { AppError, caused } from './app-error.ts'

const retryable = { retryable: true }

// Origins, and what they hold
export const dbUrlRefused = () =>
  new AppError(422, 'dbUrlRefused', 'dbUrl: this address is not allowed; add it to ORIGIN_ALLOW to allow it')
export const dbUrlPortRefused = () =>
  new AppError(
    422,
    'dbUrlPortRefused',
    'dbUrl: this port is not allowed; add the host with this port to ORIGIN_ALLOW to allow it',
  )
export const originUnreachable = caused(502, 'originUnreachable', 'the origin database could not be reached', retryable)
/** Like a refused password, this reveals only that a Bolt server is there. @param cause says which versions */
export const noCommonBolt = (cause: Error) => new AppError(422, 'noCommonBolt', `dbUrl: ${cause.message}`, { cause })
/** @param reason a clause */
export const wrongAnswers = (reason: string, cause?: unknown) =>
  new AppError(422, 'wrongAnswers', `dbUrl: the server cannot be an origin, because ${reason}`, { cause })
export const originRefusedCredentials = caused(
  502,
  'originRefusedCredentials',
  'the origin database refused the credentials',
)
export const originBroke = caused(
  502,
  'originBroke',
  'the connection to the origin database ended while it was read',
  retryable,
)
/** @param problem what is wrong with an answer, in words without data */
export const originMalformed = (problem: string) =>
  new AppError(502, 'originBroke', `the origin database sent an answer that cannot be right: ${problem}`, {
    ...retryable,
    cause: new Error(problem),
  })
export const originChanged = (node: string) =>
  new AppError(
    502,
    'originChanged',
    `the origin changed while it was read: ${node} had another label or id at first; publish again`,
    { retryable: true },
  )
export const originTimeLimit = caused(
  502,
  'originTimeLimit',
  'the origin database ended the read at its time limit for transactions; raise db.transaction.timeout there, or publish fewer ids in one request',
)
export const originRefusedQuery = caused(502, 'originRefusedQuery', 'the origin database refused a query')
export const noSuchDatabase = caused(
  422,
  'noSuchDatabase',
  'database: the origin has no such database, or no home database for this user if the field is absent',
)
export const oneDatabaseOnly = () =>
  new AppError(
    422,
    'oneDatabaseOnly',
    'database: this origin speaks Bolt 3 or earlier, in which no database can be named; omit the field',
  )
export const bookmarksRefused = caused(422, 'bookmarksRefused', 'bookmarks: rejected by the origin')
export const originBehind = caused(
  502,
  'originBehind',
  'the origin database has not reached the bookmarks in time',
  retryable,
)
export const unpublishable = (what: string) => new AppError(422, 'unpublishable', what)
export const modelViolation = (what: string) => new AppError(422, 'modelViolation', what)
export const nothingThere = (label: string, idProperty: string) =>
  new AppError(
    422,
    'nothingThere',
    `originIds: the origin has no node with the label "${label}" and the property "${idProperty}"`,
  )

// Selections. `path`: the field, as `[3].select[0].label`.
export const unselectable = (path: string, problem: string) => new AppError(422, 'unselectable', `${path}: ${problem}`)
export const nothingSelected = (path: string) =>
  new AppError(422, 'nothingSelected', `${path}: the origin has no such node`)
/** @param limit the field or setting, and its value */
export const tooManySelected = (path: string, limit: string) =>
  new AppError(413, 'tooManySelected', `${path}: the origin has more nodes than ${limit}`)
