import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { PublishFields } from '../../shared/request/fields.ts'
import type { Context } from '../context.ts'
import type { Environment } from '../environment.ts'
import { cannotBe, usageError } from '../exit.ts'
import { fractionOf } from '../options.ts'
import { jsonOrNull } from '../service/requests.ts'
import { faultText, jsonFault } from './json-fault.ts'
import { requestLimits, requireFitting } from './packet-limits.ts'
import { parseSelect, selectedRequest } from './select-option.ts'

export interface RequestOptions {
  ids?: string
  all?: true
  select?: string[]
  org?: string
  name?: string
  force?: true
  model?: string
  onModelViolation?: 'fail' | 'report' | 'omit'
  compression?: 'none' | 'gzip'
  base?: string
  deleteMissing?: number | true
  asBase?: true
}

/** The arguments that say what to publish. */
export const withRequest = (command: Command): Command =>
  command
    .argument(
      '[request]',
      'file with a publish request as JSON, or a list of them; - for standard input; not needed with --all or --select',
    )
    .option('--all', 'select every node that the request, or a constraint of the origin, identifies')
    .option(
      '--select <nodes>',
      'select nodes: LABEL, or "LABEL where key=value and key=value"; may be repeated',
      collect,
    )
    .option('--ids <file>', 'file with originIds, one a line; - for standard input')
    .option('--org <org>', 'org of the packet, instead of orgName')
    .option('--name <name>', 'name of the packet, instead of fileName')
    .option('--force', 'replace a packet of the same name')
    .option('--model <model>', 'bind the publish to a manager, or to a version of one by its grn')
    .addOption(
      new Option('--on-model-violation <how>', 'what becomes of what breaks the model').choices([
        'fail',
        'report',
        'omit',
      ]),
    )
    .addOption(new Option('--compression <how>', 'how the parts are stored').choices(['none', 'gzip']))
    .option('--base <name>', 'make a delta: leave out what this earlier packet of the org leads to')
    .option(
      '--delete-missing [share]',
      'with --base: delete what the base has and the origin no longer, up to this share of it; 0.1 if absent',
      fractionOf,
    )
    .option('--as-base', 'index the packet, so that it can be the base of others')

function collect(one: string, before: string[] = []): string[] {
  return [...before, one]
}

/** The sub-requests of a publish: read from the file, then completed by the options and the environment. */
export async function readRequests(
  context: Context,
  file: string | undefined,
  options: RequestOptions,
): Promise<PublishFields[]> {
  const { ids, org, name, model, onModelViolation, compression, base, asBase } = options
  const select = selectOf(options)
  if (file === '-' && ids === '-') throw usageError('standard input can hold the request or the ids, not both')
  if (file === undefined && select === null) throw usageError('name a request, or use --all or --select')
  const given: Given[] = file === undefined ? [selectedRequest] : parse(await contentOf(context, file), file)
  const read = select === null ? given : withSelect(given, select)
  const deleteMissing = shareOf(options)
  const chosen = { orgName: org, fileName: name, model, onModelViolation, compression, base, asBase, deleteMissing }
  const instead = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  const requests = read.map((request, index) => {
    const at = read.length > 1 ? `[${index}].` : ''
    if (request.returnOnly) throw usageError(`${at}returnOnly: this command stores the packet; leave it out`)
    return { ...request, ...instead, ...originOf(request, context.environment, at) } as unknown as PublishFields
  })
  if (deleteMissing && !requests.some(hasBase)) throw usageError('--delete-missing: needs --base')
  const lines = ids === undefined ? null : linesOf(await contentOf(context, ids, '--ids: '), ids)
  const complete = lines === null ? requests : withIds(requests, lines)
  requireFitting(complete, lines?.length ?? null)
  return complete
}

/** Whether a request is for a delta. */
export const hasBase = ({ base }: Pick<PublishFields, 'base'>): boolean => (base ?? null) !== null

/** What to know of deltas that delete nothing. */
export const staying = (requests: readonly PublishFields[]): string[] =>
  requests.some((one) => hasBase(one) && (one.deleteMissing ?? false) === false)
    ? [
        'note: without --delete-missing, nodes that the origin no longer has stay at the target, for later deltas of this one too',
      ]
    : []

/** The share that may be deleted, as a request has it. */
function shareOf({ deleteMissing }: RequestOptions): true | { atMost: number } | undefined {
  return typeof deleteMissing === 'number' ? { atMost: deleteMissing } : deleteMissing
}

/** What `--all` or `--select` selects; null without them. */
function selectOf({ all, select, ids }: RequestOptions): Given['select'] | null {
  if (!all && select === undefined) return null
  const [option, other] = all ? ['--all', select && '--select'] : ['--select', undefined]
  const excluded = other ?? (ids === undefined ? null : '--ids')
  if (excluded) throw usageError(`${option} cannot be combined with ${excluded}`)
  return all ? [{ label: '*' }] : (select ?? []).map(parseSelect)
}

function withSelect([request, ...others]: Given[], select: Given['select']): Given[] {
  const option = '--all and --select'
  if (request === undefined || others.length > 0) throw usageError(`${option}: need one request, not a list`)
  const own = (['originIds', 'relationshipIds', 'select'] as const).find((field) => (request[field] ?? null) !== null)
  if (own !== undefined) throw usageError(`${option}: the request has ${own} of its own`)
  return [{ ...request, select }]
}

/** The text of a file, without a byte order mark, which would become part of the first id. */
async function contentOf({ stdin, signal }: Context, file: string, option = ''): Promise<string> {
  const bytes = await (file === '-' ? buffer(addAbortSignal(signal, stdin)) : readFile(file)).catch((error) => {
    signal.throwIfAborted()
    return cannotBe('read', option + nameOf(file))(error)
  })
  if (!isUtf8(bytes)) throw usageError(`${option}${nameOf(file)} must be UTF-8`)
  return new TextDecoder().decode(bytes)
}

const nameOf = (file: string) => (file === '-' ? 'standard input' : file)

type Given = Partial<PublishFields>

function parse(content: string, file: string): Given[] {
  const fault = jsonFault(content)
  if (fault !== null) throw usageError(`${nameOf(file)} is ${faultText(fault)}`)
  const requests = [jsonOrNull(content)].flat()
  const isObject = (value: unknown) => typeof value === 'object' && value !== null
  if (requests.length === 0 || !requests.every(isObject)) {
    throw usageError(`${nameOf(file)} must hold a publish request as JSON, or a list of them`)
  }
  return requests as Given[]
}

/**
 * The address and credentials of the origin: from the request, or else from the environment. The environment's
 * credentials are sent to the environment's address only.
 */
function originOf(request: Given, environment: Environment, at: string): Pick<PublishFields, 'dbUrl' | 'credentials'> {
  const { PACKETS_ORIGIN_URL, PACKETS_ORIGIN_USER, PACKETS_ORIGIN_PASSWORD } = environment
  const hasBoth = PACKETS_ORIGIN_USER !== undefined && PACKETS_ORIGIN_PASSWORD !== undefined
  const basic = `Basic ${Buffer.from(`${PACKETS_ORIGIN_USER}:${PACKETS_ORIGIN_PASSWORD}`).toString('base64')}`
  const dbUrl = request.dbUrl ?? PACKETS_ORIGIN_URL
  const credentials = request.credentials ?? (hasBoth ? basic : undefined)
  if (dbUrl === undefined) throw usageError(`${at}dbUrl: neither in the request nor in PACKETS_ORIGIN_URL`)
  if (credentials === undefined) {
    throw usageError(`${at}credentials: neither in the request nor in PACKETS_ORIGIN_USER and PACKETS_ORIGIN_PASSWORD`)
  }
  if (credentials !== request.credentials && dbUrl !== PACKETS_ORIGIN_URL) {
    const rule = 'a request with a dbUrl needs credentials of its own'
    throw usageError(`${at}credentials: ${rule}; the credentials of the environment are for PACKETS_ORIGIN_URL`)
  }
  return { dbUrl, credentials }
}

function linesOf(content: string, file: string): string[] {
  const ids = [...new Set(content.split(/\r?\n/).filter((line) => line !== ''))]
  if (ids.length === 0) throw usageError(`--ids: ${nameOf(file)} has no ids`)
  return ids
}

function withIds([request, ...others]: PublishFields[], ids: readonly string[]): PublishFields[] {
  if (request === undefined || others.length > 0) throw usageError('--ids: needs one request, not a list')
  if (Array.isArray(request.originIds) && request.originIds.length > 0)
    throw usageError('--ids: the request has originIds of its own')
  const most = requestLimits.ids
  const count = Math.ceil(ids.length / most)
  return Array.from({ length: count }, (_, index) => ({
    ...request,
    originIds: ids.slice(index * most, (index + 1) * most),
  }))
}
