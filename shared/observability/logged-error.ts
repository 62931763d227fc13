/** Properties logged besides type, message and stack, if they are strings or numbers. */
const loggedProperties = [
  'code',
  'status',
  'statusCode',
  'syscall',
  'address',
  'port',
  'hostname',
  'amzRequestid',
] as const

const maxDepth = 10

interface Loggable {
  constructor?: { name?: unknown }
  name?: unknown
  message: string
  stack?: unknown
  cause?: unknown
  errors?: unknown
  command?: { name?: unknown }
  [property: string]: unknown
}

/**
 * The loggable form of an error and its causes. It has a fixed list of properties, because libraries attach arbitrary
 * data to errors: Redis errors contain the command and its arguments (a password, a sealed secret), S3 errors the
 * string that was signed.
 */
export function loggedError(thrown: unknown, depth = 0): unknown {
  if (typeof thrown !== 'object' || thrown === null) return thrown
  if (!isErrorLike(thrown)) return { type: typeOf(thrown) }
  const { message, stack, cause, errors, command } = thrown
  const inner = (error: unknown) => (depth < maxDepth ? loggedError(error, depth + 1) : undefined)
  return {
    type: typeOf(thrown),
    message,
    stack,
    ...Object.fromEntries(loggedProperties.map((name) => [name, thrown[name]]).filter(([, value]) => isPlain(value))),
    ...(typeof command?.name === 'string' ? { command: command.name } : {}),
    ...(cause === undefined ? {} : { cause: inner(cause) }),
    ...(Array.isArray(errors) ? { aggregateErrors: errors.slice(0, maxDepth).map(inner) } : {}),
  }
}

const isErrorLike = (thrown: object): thrown is Loggable => 'message' in thrown && typeof thrown.message === 'string'
const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
const typeOf = (thrown: { constructor?: { name?: unknown }; name?: unknown }) => thrown.constructor?.name ?? thrown.name
