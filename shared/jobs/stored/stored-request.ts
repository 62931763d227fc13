import * as errors from '../../errors/catalogue.ts'
import { inTurns, type Steps } from '../../lifecycle/turns.ts'
import { treatmentSteps } from '../../publish/write/conflicts.ts'
import { boundTreatments, type NodeTreatment } from '../../publish/write/treatments.ts'
import { type BoundModel, boundRequests } from '../../request/bound-model.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { boundModel, storedModel } from '../../request/stored-model.ts'
import { modelKey, planKey, requestKey } from '../../storage/keys.ts'
import type { ByteRange, ObjectStore } from '../../store/object-store.ts'
import { type JobRecord, subRequestsPerSlice } from '../job.ts'
import { storedFields, withoutOrder } from '../order.ts'
import { requireKnownFields } from '../version.ts'
import type { Encrypted, Secrets } from './secrets.ts'

/** A sub-request as stored, without the fields of its job's order. `secret` is the index of its credentials. */
interface StoredRequest extends Omit<ReturnType<typeof withoutOrder<PublishRequest>>, 'credentials'> {
  secret: number
}

/** A sub-request that masks values may name such values, as ids: it is stored encrypted, as the credentials are. */
interface SealedRequest {
  sealed: string
}

/** The job that a stored request or result belongs to. */
export type Owner = Pick<JobRecord, 'id' | 'orgName'>

export interface RequestSource {
  store: ObjectStore
  secrets: Secrets
}

/** How a large multi is cut: the byte ranges of its slices and of its credentials in the stored request. */
export interface SlicePlan {
  slices: ByteRange[]
  credentials: ByteRange
  /** What a slice must know about the other sub-requests, as these were sent. */
  treatments: NodeTreatment[]
}

/** What a run builds: sub-requests, completed by the model they are bound to. */
export interface ReadRequests {
  requests: readonly PublishRequest[]
  model: BoundModel | null
  /** Of a slice of several: its first sub-request, and how others treat the nodes that they share. */
  slice?: { first: number; treatments: readonly NodeTreatment[] }
}

/**
 * Stores a job's request: one line with its encrypted credentials, then one line per sub-request as it was sent, encrypted if it masks values; the
 * model that it is bound to, once; and the plan of a large job.
 * @returns the sealed key of the credentials, for the job's record.
 */
export async function storeRequest(
  store: ObjectStore,
  encrypt: (jobId: string, credentials: readonly string[]) => Encrypted,
  { id, orgName }: Owner,
  requests: readonly PublishRequest[],
  model: BoundModel | null = null,
): Promise<{ sealedKey: string }> {
  const places = new Map<string, number>()
  for (const { credentials } of requests) if (!places.has(credentials)) places.set(credentials, places.size)
  const { sealedKey, text, seal } = encrypt(id, [...places.keys()])
  const slices = await inTurns(slicesOf(requests, places, seal))
  const head = Buffer.from(`${text}\n`)
  const puts: Promise<unknown>[] = [store.put(requestKey(orgName, id), Buffer.concat([head, ...slices]))]
  if (model) puts.push(store.put(modelKey(orgName, id), Buffer.from(JSON.stringify(storedModel(model)))))
  if (slices.length > 1) {
    const credentials = { from: 0, bytes: head.length }
    const plan: SlicePlan = {
      slices: rangesOf(slices, head.length),
      credentials,
      // The requests are not completed by the model here: thousands of them may share its long `mappedIndices`.
      treatments: await inTurns(treatmentSteps(requests)),
    }
    puts.push(store.put(planKey(orgName, id), Buffer.from(JSON.stringify(plan))))
  }
  await settleAll(puts)
  return { sealedKey }
}

/** The lines of the sub-requests, slice by slice. Each step writes one. `places`: those of the credentials. */
function* slicesOf(
  requests: readonly PublishRequest[],
  places: ReadonlyMap<string, number>,
  seal: Encrypted['seal'],
): Steps<Buffer[]> {
  const slices: Buffer[] = []
  for (let first = 0; first < requests.length; first += subRequestsPerSlice) {
    const lines: string[] = []
    for (const sent of requests.slice(first, first + subRequestsPerSlice)) {
      const { credentials, ...request } = withoutOrder(sent)
      const line = JSON.stringify({ ...request, secret: places.get(credentials) as number } satisfies StoredRequest)
      const isMasked = request.mask !== undefined || request.only !== undefined
      yield lines.push(`${isMasked ? JSON.stringify({ sealed: seal([line]) } satisfies SealedRequest) : line}\n`)
    }
    slices.push(Buffer.from(lines.join('')))
  }
  return slices
}

function rangesOf(slices: readonly Buffer[], start: number): ByteRange[] {
  const ranges: ByteRange[] = []
  let from = start
  for (const { length: bytes } of slices) {
    ranges.push({ from, bytes })
    from += bytes
  }
  return ranges
}

/**
 * Reads the sub-requests of a job, or one slice of them, given the byte ranges of the slice and of the credentials
 * from the plan.
 * @throws secretsGone; requestGone when the request is missing; NewerVersionError when a sub-request has a field that
 * this version does not know, because the packet would be wrong without it.
 */
export async function readRequests(
  { store, secrets }: RequestSource,
  { id, orgName }: Owner,
  slice?: ByteRange,
  credentials?: ByteRange,
): Promise<ReadRequests> {
  const read = async (range?: ByteRange) => {
    const text = await stored(store, requestKey(orgName, id), `the request of job ${id}`, range)
    return text.trimEnd().split('\n')
  }
  const lines = (await settleAll([...(credentials ? [read(credentials)] : []), read(slice)])).flat()
  const decrypt = await secrets.read(id)
  const credentialsOf = decrypt?.(lines.shift() ?? '')
  if (!decrypt || !credentialsOf) throw errors.secretsGone()
  const opened = (stored: StoredRequest | SealedRequest): StoredRequest => {
    if (!('sealed' in stored)) return stored
    const [line] = decrypt(stored.sealed) ?? []
    if (line === undefined) throw errors.secretsGone()
    return JSON.parse(line)
  }
  const requests = lines.map((line) => {
    const { secret, ...request } = opened(JSON.parse(line))
    requireKnownFields(Object.keys(request), storedFields)
    return { ...request, credentials: credentialsOf[secret] as string }
  })
  const model = requests.some((request) => request.model !== undefined) ? await readModel(store, { id, orgName }) : null
  return { requests: boundRequests(requests, model), model }
}

const readModel = async (store: ObjectStore, { id, orgName }: Owner): Promise<BoundModel> =>
  boundModel(JSON.parse(await stored(store, modelKey(orgName, id), `the model of job ${id}`)))

/** @throws requestGone when the object is missing. */
async function stored(store: ObjectStore, key: string, what: string, range?: ByteRange): Promise<string> {
  const bytes = await store.get(key, range)
  if (bytes === null) throw errors.requestGone(new Error(`${what} is not in the store`))
  return bytes.toString()
}

/** Like Promise.all, but waits for all to settle before rejecting, so clean-up cannot race a late write. */
async function settleAll<T>(steps: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(steps)
  return Promise.all(steps)
}

/** Reads what a run of one slice of several builds. @throws like `readRequests` and `readPlan` */
export async function readSlice(source: RequestSource, job: Owner, slice: number): Promise<ReadRequests> {
  const { slices, treatments, credentials } = await readPlan(source, job)
  const read = await readRequests(source, job, slices[slice], credentials)
  const first = slice * subRequestsPerSlice
  return { ...read, slice: { first, treatments: boundTreatments(treatments, read.model) } }
}

/** @throws requestGone when there is no plan; NewerVersionError when it has an option that is not known here. */
export async function readPlan({ store }: Pick<RequestSource, 'store'>, { id, orgName }: Owner): Promise<SlicePlan> {
  const plan = JSON.parse(await stored(store, planKey(orgName, id), `the plan of job ${id}`)) as SlicePlan
  requireKnownFields(
    plan.treatments.flatMap(({ nodeSettings }) => nodeSettings?.map(({ field }) => field) ?? []),
    storedFields,
  )
  return plan
}
