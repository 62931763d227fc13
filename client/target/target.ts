import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { usageError } from '../exit.ts'
import type { Target } from '../replay/replay.ts'
import { connect } from '../replay/run/connection.ts'
import { readSecret } from '../secrets.ts'

export interface TargetOptions {
  to: string
  database?: string
  user?: string
  passwordFile?: string
}

export const withTarget = (command: Command): Command =>
  command
    .requiredOption('--to <url>', 'address of the target: bolt, bolt+s, bolt+ssc, neo4j, neo4j+s or neo4j+ssc')
    .option('--database <name>', 'database of the target; its default if absent')
    .option('--user <name>', 'user of the target; none if absent')
    .option('--password-file <file>', 'file with the password; PACKETS_TARGET_PASSWORD if absent, else asked for')

const addressRule =
  '--to: must be bolt://host or neo4j://host without a path, also with +s or +ssc; a query is for neo4j only, as name=value'

/** The target that the options and the environment name. @throws Failure (usage) */
export async function readTarget(
  context: Context,
  { to, database, user, passwordFile }: TargetOptions,
): Promise<Target> {
  const url = URL.parse(to)
  if (
    url === null ||
    !/^(bolt|neo4j)(\+s|\+ssc)?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname)
  ) {
    throw usageError(addressRule)
  }
  if (database === '') throw usageError('--database: must not be empty; leave it out for the default')
  // The message must not quote the address, which holds a secret.
  if (url.username || url.password)
    throw usageError('--to: must not hold a user or password; use --user and --password-file')
  if (user === undefined && passwordFile !== undefined) throw usageError('--password-file: needs --user')
  if (user === undefined && context.environment.PACKETS_TARGET_PASSWORD !== undefined) {
    throw usageError('PACKETS_TARGET_PASSWORD is set, but --user is missing')
  }
  await requireAccepted(to)
  const target = { url: to, database: database ?? null }
  if (user === undefined) return { ...target, user: null, password: null }
  const password = await readSecret(context, {
    what: `the password of ${user} at ${to}`,
    option: '--password-file',
    file: passwordFile,
    variable: 'PACKETS_TARGET_PASSWORD' as const,
  })
  return { ...target, user, password }
}

/** Asks the driver, which has rules of its own. Hides its messages: they quote the address, which may hold a secret. */
async function requireAccepted(url: string): Promise<void> {
  try {
    await connect({ url, database: null, user: null, password: null }).close()
  } catch {
    throw usageError(addressRule)
  }
}
