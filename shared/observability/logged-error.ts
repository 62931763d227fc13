/** Properties logged besides type, message and stack, if they are strings or numbers. */
const loggedProperties = 'code status statusCode syscall address port hostname amzRequestid'.split(' ')

const maxDepth = 10

/**
 * The loggable form of an error and its causes. It has a fixed list of properties, because libraries attach arbitrary
 * data to errors: Redis errors contain the command and its arguments (a password, a sealed secret), S3 errors the
 * string that was signed.
 */
export function loggedError(thrown: unknown, depth = 0): unknown {
  if (typeof thrown !== 'object' || thrown === null) return thrown
  const error = thrown as Record<string, unknown>
  const { message, stack, cause, errors } = error
  const type = thrown.constructor?.name ?? error.name
  if (typeof message !== 'string') return { type }
  const command = (error.command as { name?: unknown } | undefined)?.name
  const inner = (error: unknown) => (depth < maxDepth ? loggedError(error, depth + 1) : undefined)
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(loggedProperties.map((name) => [name, error[name]]).filter(([, value]) => isPlain(value))),
    ...(typeof command === 'string' ? { command } : {}),
    ...(cause === undefined ? {} : { cause: inner(cause) }),
    ...(Array.isArray(errors) ? { aggregateErrors: errors.slice(0, maxDepth).map(inner) } : {}),
  }
}

const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
