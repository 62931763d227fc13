import { bytesText } from '../../packet/bytes-text.ts'
import { AppError, caused, type Issue, maxIssues } from './app-error.ts'

export * from './of-origins.ts'
export * from './of-states.ts'

/** Formats "originIds: required when …"; omits the path when the issue concerns the whole body. */
const line = ({ path, message }: Issue) => (path === '' ? message : `${path}: ${message}`)
/** Headers of errors that a retry may resolve. */
export const soon = { 'Retry-After': '5' }
const away = { retryable: true, headers: soon }

// Requests
export function invalidRequest(broken: readonly Issue[]) {
  const rest = broken.length - maxIssues
  const more = { path: '', message: `${rest} more issues not listed` }
  const issues = rest > 0 ? [...broken.slice(0, maxIssues), more] : broken
  return new AppError(400, 'invalidRequest', issues.map(line).join('; '), { issues })
}
export const malformedJson = () => new AppError(400, 'malformedJson', 'the body is not valid JSON')
export const malformedUrl = () => new AppError(400, 'malformedUrl', 'the path is not validly percent-encoded')
export const malformedHttp = () => new AppError(400, 'malformedHttp', 'the request is not valid HTTP')
export const requestTimeout = () => new AppError(408, 'requestTimeout', 'timed out receiving the request')
export const headTooLarge = (limitBytes: number) =>
  new AppError(431, 'headTooLarge', `the path, query and headers are larger than ${bytesText(limitBytes)}`)
export const expectationFailed = () =>
  new AppError(417, 'expectationFailed', 'the only supported expectation is Expect: 100-continue')
export const bodyTooLarge = (limitBytes: number) =>
  new AppError(413, 'bodyTooLarge', `the body is larger than ${bytesText(limitBytes)}`)
export const unsupportedMediaType = () =>
  new AppError(415, 'unsupportedMediaType', 'the body must be sent as Content-Type: application/json')
export const noSuchPath = () => new AppError(404, 'noSuchPath', 'there is nothing at this path')
export const methodNotAllowed = (allow: string) =>
  new AppError(405, 'methodNotAllowed', `this path supports ${allow}`, { headers: { Allow: allow } })

// Access
export const unauthenticated = () =>
  new AppError(401, 'unauthenticated', 'a valid token is required: Authorization: Bearer <token>', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
export const keysAway = caused(503, 'keysAway', 'token signing keys are unavailable; try again later', {
  headers: soon,
})
export const scopeMissing = (scope: string) =>
  new AppError(403, 'scopeMissing', `the token lacks the scope ${scope}`, {
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
export const allOrgsMissing = () =>
  new AppError(403, 'scopeMissing', 'this endpoint is for tokens with all orgs (*)', {
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  })

export const tooManyRequests = (limit: number, retryAfterSeconds: number) =>
  new AppError(429, 'tooManyRequests', `a token may send ${limit} requests a minute`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })

/** @param what the limited resource: bodies, packets */
export const tooManyAtOnce = (what: string) =>
  new AppError(429, 'tooManyAtOnce', `this token has too many ${what} under way; try again when one is done`, {
    headers: soon,
  })

export const orgQueueFull = () =>
  new AppError(429, 'orgQueueFull', 'this org has too many unfinished publishes; try again when one has finished', {
    headers: soon,
  })

// Organizations and packets
export const noSuchOrg = (orgName: string) =>
  new AppError(404, 'noSuchOrg', `orgName: "${orgName}" does not exist; create it with POST /1.0/publish/{orgName}`)
export const noSuchFile = (orgName: string, fileName: string) =>
  new AppError(404, 'noSuchFile', `fileName: "${fileName}" does not exist in "${orgName}"`)
export const noSuchPacket = (orgName: string, fileName: string) =>
  new AppError(
    404,
    'noSuchPacket',
    `fileName: there is no packet "${fileName}" in "${orgName}"; files that other programs stored are not packets`,
  )
export const partOfPacket = (fileName: string) =>
  new AppError(400, 'partOfPacket', `fileName: "${fileName}" is a part; remove its packet by the packet's name`)
export const notAPacket = (fileName: string) =>
  new AppError(422, 'notAPacket', `fileName: "${fileName}" is not JSON; use the /url endpoint to download it`)
export const fileExists = (orgName: string, fileName: string) =>
  new AppError(
    409,
    'fileExists',
    `fileName: "${fileName}" already exists in "${orgName}" and forceOverwrite is not true`,
  )
export const nameInUse = (orgName: string, fileName: string, holderId: string) =>
  new AppError(409, 'nameInUse', `fileName: another publish is writing "${fileName}" in "${orgName}"`, {
    headers: { Location: `/1.0/jobs/${holderId}` },
  })
export const tooLargeInline = (limitBytes: number) =>
  new AppError(
    413,
    'tooLargeInline',
    `the packet is larger than ${bytesText(limitBytes)}; use the /url endpoint instead`,
  )

// Callbacks
export const callbacksOff = () =>
  new AppError(422, 'callbacksOff', 'callbackUrl: callbacks are disabled; set CALLBACK_ALLOW to enable them')
export const callbackUrlRefused = () =>
  new AppError(
    422,
    'callbackUrlRefused',
    'callbackUrl: this address is not allowed; add it to CALLBACK_ALLOW to allow it',
  )
export const callbackUrlUnresolved = caused(422, 'callbackUrlUnresolved', 'callbackUrl: its host does not resolve')
export const callbackNotDue = (state: string) =>
  new AppError(409, 'callbackNotDue', `the job is ${state}; it calls back when it has ended`, { headers: soon })
export const noCallback = () => new AppError(409, 'noCallback', 'the job was submitted without a callbackUrl')

// Sizes and times
export const pairTooLarge = (what: string, limitBytes: number) =>
  new AppError(413, 'pairTooLarge', `${what}: its statement/parameter pair is larger than ${bytesText(limitBytes)}`)
export const tooManyPairs = (limit: number) =>
  new AppError(413, 'tooManyPairs', `the packet has more than ${limit} statement/parameter pairs`)
export const tooManyFound = (limit: number) =>
  new AppError(413, 'tooManyFound', `relationshipIds: more than ${limit} relationships of the origin have these ids`)
export const tooManyBytesFound = (limitBytes: number) =>
  new AppError(
    413,
    'tooManyFound',
    `relationshipIds: the relationships of the origin that have these ids take more than ${bytesText(limitBytes)}`,
  )
export const tooManyListed = (limit: number) =>
  new AppError(413, 'tooManyListed', `one request reaches more than ${limit} elements of the origin; split it`)
export const returnOnlyTooLarge = (limit: string) =>
  new AppError(413, 'returnOnlyTooLarge', `returnOnly: the packet is over ${limit}; store it instead`)
export const jobTimedOut = (limitSeconds: number, what = 'the publish') =>
  new AppError(504, 'jobTimedOut', `${what} took longer than ${limitSeconds} seconds`)

// Jobs
export const noSuchJob = () => new AppError(404, 'noSuchJob', 'there is no such job')
export const jobUnfinished = (state: string) =>
  new AppError(409, 'jobUnfinished', `the job is ${state}; it has no result yet`, { headers: soon })
export const notCancellable = (state: string) =>
  new AppError(409, 'notCancellable', `the job is ${state}; it can no longer be cancelled`)
export const keyReused = () =>
  new AppError(422, 'keyReused', 'Idempotency-Key: this key was used for another request within the last 24 hours')
export const jobCancelled = () => new AppError(409, 'jobCancelled', 'the job was cancelled; it has no result')
/** Trying again does not help: the store has answered. */
export const packetDamaged = caused(
  500,
  'packetDamaged',
  'the packet is damaged: one of its stored objects is missing or has other content; publish it again with forceOverwrite',
)
export const packetGone = () =>
  new AppError(410, 'packetGone', "the job's packet was replaced or has expired, and is gone")
export const workerLost = () =>
  new AppError(
    500,
    'workerLost',
    'every worker that ran this publish ended before it was done: see the logs of the workers',
  )
export const jobInterrupted = () =>
  new AppError(500, 'jobInterrupted', 'this run of the publish was interrupted', { retryable: true })
export const jobVoided = () => new AppError(409, 'jobVoided', 'this publish had failed before this run could commit')
export const masksOff = () =>
  new AppError(422, 'masksOff', 'mask: hashes need a key of this service; set MASK_KEYS to enable them')
export const maskKeyGone = (id: string) =>
  new AppError(500, 'maskKeyGone', `the mask key "${id}" of this publish is no longer in MASK_KEYS; submit it again`)
export const unmaskable = (path: string, problem: string) => new AppError(422, 'unmaskable', `${path}: ${problem}`)
export const secretsGone = () =>
  new AppError(500, 'secretsGone', 'the credentials of this publish are no longer kept; submit it again')
export const requestGone = caused(500, 'requestGone', 'the request of this publish is no longer kept; submit it again')

// The manager
export const noSuchRecord = (what: string) => new AppError(404, 'noSuchRecord', `there is no ${what}`)
export const duplicateRecord = (what: string) => new AppError(409, 'duplicateRecord', what)
export const listTooLong = (most: number, mostBytes: number) =>
  new AppError(
    400,
    'listTooLong',
    `limit: required because the list has more than ${most} entries or ${bytesText(mostBytes)}; to read the next page, pass next of the answer as after`,
  )
export const nameReserved = (name: string) =>
  new AppError(
    403,
    'nameReserved',
    `name: "${name}" is reserved for tokens that cover all orgs (*), because search policies of all orgs follow that manager`,
    { headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' } },
  )
export const otherEnver = (what: string) =>
  new AppError(412, 'otherEnver', `If-Match: the ${what} now has another enver; read it again`)

export const modelTooLarge = (most: number, mostBytes: number) =>
  new AppError(
    422,
    'modelTooLarge',
    `model: it has more than ${most} elements, or keys of more than ${bytesText(mostBytes)}`,
  )

// Search
export const noSuchNodeType = (key: string) =>
  new AppError(
    404,
    'noSuchNodeType',
    `nodeTypes: there is no node type "${key}" in the latest version of the manager "default"`,
  )
export const notIndexable = (key: string) =>
  new AppError(422, 'notIndexable', `the node type ${JSON.stringify(key)} has a key that no statement can name`)

/** Never sent: the client has disconnected. */
export const clientGone = () => new AppError(499, 'clientGone', 'the client disconnected before the answer')
export const processBusy = (what: string, { retryable = false } = {}) =>
  new AppError(503, 'processBusy', `this process has too many ${what} under way; try again later`, {
    retryable,
    headers: soon,
  })

// Dependencies
export const queueFull = () =>
  new AppError(503, 'queueFull', 'too many publishes are waiting; try again later', { headers: soon })
export const queueAway = caused(503, 'queueAway', 'the job queue does not answer; try again later', away)
export const storeAway = caused(503, 'storeAway', 'the object store does not answer; try again later', away)
// The codes with which the store answered are shown. Its words are for the log: they may quote an address or a key.
export const storeFails = (failure: string, cause?: unknown) =>
  new AppError(503, 'storeAway', `the object store fails to serve the request (${failure}); try again later`, {
    ...away,
    cause,
  })
export const storeRefuses = (refusal: string, cause?: unknown) =>
  new AppError(
    503,
    'storeAway',
    `the object store refuses the request (${refusal}); tell its operator if this persists`,
    { ...away, cause },
  )
/** `blocking`: a key, or one with a slash at its end if other keys are below it. */
export const nameBlocked = (blocking: string, cause?: unknown) =>
  new AppError(
    409,
    'nameBlocked',
    blocking.endsWith('/')
      ? `this object store cannot keep an object ${JSON.stringify(blocking.slice(0, -1))}, because it has others below that name`
      : `this object store cannot keep anything below ${JSON.stringify(blocking)}, because that is an object`,
    { cause },
  )
export const managerAway = caused(503, 'managerAway', 'the manager database does not answer; try again later', away)
export const managerMemoryLimit = caused(
  503,
  'managerMemoryLimit',
  'the manager database reached its memory limit for transactions; ask for less at once, or raise dbms.memory.transaction.total.max',
  away,
)
export const managerTimeLimit = caused(
  503,
  'managerTimeLimit',
  'the request exceeded the time limit of the manager database; ask for less at once, or try again later',
  away,
)
export const managerNotConfigured = () =>
  new AppError(503, 'managerNotConfigured', 'no manager database is configured; set MANAGER_DB_URL to enable it', {
    headers: soon,
  })
export const internal = caused(500, 'internal', 'internal error; quote the request ID when reporting it', {
  retryable: true,
})
