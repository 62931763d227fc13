import { Command } from 'commander'
import type { PublishFields } from '../../shared/request/fields.ts'
import type { Job } from '../../wire/job.ts'
import { type Context, printResult } from '../context.ts'
import { different, Failure, usageError } from '../exit.ts'
import { jobLines } from '../format.ts'
import { type CommonOptions, openService, progressOption } from '../options.ts'
import type { PacketSource } from '../replay/source/load-part.ts'
import { verify } from '../replay/verify/verify.ts'
import { hasBase, type RequestOptions, readRequests, staying, withRequest } from '../request/publish-request.ts'
import type { Client } from '../service/client.ts'
import { followJob, requireSucceeded } from '../service/follow-job.ts'
import { persist } from '../service/persist.ts'
import { ServiceError } from '../service/service-error.ts'
import { serviceSource } from '../source/resolve.ts'
import type { Source } from '../source/source.ts'
import { openCopyKey } from '../target/copy-key.ts'
import { prepareTarget } from '../target/prepare-target.ts'
import { type ReplayingOptions, replayText, requireConsistent, runReplay, withReplaying } from '../target/replaying.ts'
import { readTarget, type TargetOptions, withTarget } from '../target/target.ts'
import { isEqual, runComparison, verifyLines } from '../target/verifying.ts'

interface Options extends CommonOptions, RequestOptions, TargetOptions, ReplayingOptions {}

/** `packets copy`: publishes a request, replays the packet, and compares the target with it. */
export function copy(context: Context): Command {
  const command = new Command('copy').description(
    'publish a request, replay the packet and verify the target; the same command continues where it was interrupted',
  )
  withReplaying(withTarget(withRequest(command))).addOption(progressOption(context))
  return command.action((file: string | undefined, options: Options) => run(context, file, options))
}

async function run(context: Context, file: string | undefined, options: Options): Promise<void> {
  requireConsistent(options)
  const target = await readTarget(context, options)
  const requests = await readRequests(context, file, options)
  requireDeltas(requests, options)
  const client = await openService(context, options)
  const { force = false } = options
  const asked = requests.map(({ credentials: _, ...rest }) => rest)
  const key = await openCopyKey([asked, force, target.url, target.database], options)
  if (!key.isKnown) {
    const delta = await deltaOf(context, requests, options, client)
    await prepareTarget(context, client, target, requests, force, options, delta)
  }
  const id = await key
    .publish((value) => client.publish(requests, value, force, context.signal))
    .catch((error) => {
      throw error instanceof ServiceError ? withRemedy(error) : error
    })
  const job = await followJob(context, client, id, options.progress, '1 of 3, publish')
  // The next copy must publish again.
  if (job.state !== 'succeeded') await key.forget()
  requireSucceeded(job)
  const source = await packetOf(context, job, options, client)
  const replayed = await runReplay(context, source, target, { ...options, stage: '2 of 3, replay' })
  const compared = await runComparison(context, source, target, { ...options, stage: '3 of 3, verify' }, verify)
  // Without --force a new publish would be refused, so the same command compares this packet again.
  if (force || compared.differing === 0) await key.forget()
  const lines = [
    ...jobLines(job),
    ...staying(requests),
    replayText(source.name, replayed),
    ...verifyLines(source.name, compared),
  ]
  const verified = { isEqual: isEqual(compared), ...compared }
  printResult(context, options.json, { job, replay: replayed, verify: verified }, lines)
  if (compared.differing > 0) throw different()
}

/** Refuses options that have no effect on these requests. @throws Failure (usage) */
function requireDeltas(requests: readonly PublishFields[], { record, ignoreBase }: Options): void {
  const isBase = requests.some((one) => hasBase(one) || one.asBase === true)
  if (record && !isBase) throw usageError('--record: needs --as-base or --base')
  if (ignoreBase && !requests.some(hasBase)) throw usageError('--ignore-base: needs --base')
}

/** A delta with the base that the requests name; null if they name none, or the service will refuse it. */
async function deltaOf(
  context: Context,
  requests: readonly PublishFields[],
  options: Options,
  client: Client,
): Promise<PacketSource | null> {
  const named = requests.find(hasBase)
  if (named === undefined) return null
  const base = await serviceSource(context, `${named.orgName}/${named.base}`, options, client)
  const { packet, state } = base.chain ?? {}
  if (packet === undefined || state === null || state === undefined) return null
  const name = `the packet of ${named.orgName}`
  const chain = { packet: name, base: { packet, state }, state: null, undoes: null }
  return { name, sha256: null, generation: null, requires: null, parts: [], chain }
}

/** The packet that a job has made. @throws Failure (service) if it was removed or replaced, or nothing answers */
async function packetOf(
  context: Context,
  { id, orgName, fileName }: Job,
  options: Options,
  client: Client,
): Promise<Source> {
  const find = () => serviceSource(context, `${orgName}/${fileName}`, options, client)
  const source = await persist(find, context.signal).catch((error) => {
    // A service that does not answer may still have the packet.
    const isGone = error instanceof Failure && error.exit === 'service' && !(error instanceof ServiceError)
    throw isGone ? toBeginAnew(error) : error
  })
  if (source.manifest?.jobId === id) return source
  throw toBeginAnew(new Failure('service', `${source.name} was replaced after the job ${id} had made it`))
}

/** Whether the request differs from the one sent earlier with this key, for example in its password. */
const isKeyReused = ({ status, message }: ServiceError) => status === 422 && message.includes('Idempotency-Key: ')

/** Whether a packet has the name, and no earlier run of this copy has made it. */
const isTaken = ({ status, message }: ServiceError) => status === 409 && message.includes(' already exists ')

function withRemedy(error: ServiceError): Failure {
  if (isKeyReused(error)) return toBeginAnew(error)
  if (!isTaken(error)) return error
  return new Failure('service', `${error.message}, or get it into the target with replay`)
}

const toBeginAnew = ({ exit, message, details }: Failure): Failure =>
  new Failure(exit, `${message}; pass --restart to start over`, details)
