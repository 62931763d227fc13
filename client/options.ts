import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Context } from './context.ts'
import { usageError } from './exit.ts'
import { type ProgressKind, progressKinds } from './progress.ts'
import { readSecret } from './secrets.ts'
import { type Client, createClient } from './service/client.ts'

/** The options of every command. */
export interface CommonOptions {
  json?: true
  url?: string
  tokenFile?: string
}

export interface ProgressOptions {
  progress?: ProgressKind
  /** Which of its steps a command is at. No option: the command sets it. */
  stage?: string
}

export const withCommon = (command: Command): Command =>
  command
    .option('--json', 'print the result as one JSON object')
    .option('--url <url>', 'address of the service; PACKETS_URL if absent')
    .option('--token-file <file>', 'file with the token; PACKETS_TOKEN if absent')

/** Offers `bar` on a terminal only. */
export const progressOption = ({ stderr }: Context): Option =>
  new Option('--progress <kind>', 'progress on stderr: a bar on a terminal, else plain').choices(
    progressKinds.filter((kind) => kind !== 'bar' || stderr.isTTY),
  )

/** Parses the value of an option that takes a whole number. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`)
  }

/** Parses the value of an option that takes a share. */
export function fractionOf(text: string): number {
  const value = /^(?:\d+|\d*\.\d+)$/.test(text) ? Number(text) : Number.NaN
  if (value > 0 && value <= 1) return value
  throw new InvalidArgumentError('must be a number above 0, at most 1.')
}

/** The address of the service. @throws Failure (usage) */
export function serviceUrl({ environment }: Context, { url = environment.PACKETS_URL }: CommonOptions): string {
  if (url === undefined) throw usageError('the address of the service is missing: set PACKETS_URL or pass --url')
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw usageError('the address of the service must be http(s)://host')
  // The message must not quote the address, which holds a secret.
  if (parsed.username || parsed.password)
    throw usageError('the address of the service must not hold a user or password')
  if (parsed.search || parsed.hash) throw usageError('the address of the service must not hold a query or fragment')
  return url
}

/** A client of the service that the options and the environment name. @throws Failure (usage) */
export async function openService(context: Context, options: CommonOptions): Promise<Client> {
  const url = serviceUrl(context, options)
  const token = await readSecret(context, {
    what: `the token for ${url}`,
    option: '--token-file',
    file: options.tokenFile,
    variable: 'PACKETS_TOKEN' as const,
  })
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError('the token must be one line of visible ASCII characters')
  return createClient({ url, token })
}
