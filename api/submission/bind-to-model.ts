import { type Issue, maxIssues } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import type { VersionDocument } from '../../shared/models/version-document.ts'
import { type BoundModel, createBinding, type ModelledProperty } from '../../shared/request/bound-model.ts'
import type { PublishRequest } from '../../shared/request/fields.ts'
import { dataTypeOf } from '../../shared/request/model/data-types.ts'
import { agreement } from '../../shared/request/multi.ts'
import { rulesOfIndices } from '../../shared/request/rules.ts'
import type { ApiContext } from '../context.ts'
import type { Input } from '../http/endpoint.ts'
import { requireModels } from '../manager/require-models.ts'

interface Bound {
  /** The requests, completed by the model. */
  requests: readonly PublishRequest[]
  model: BoundModel | null
}

/**
 * Binds a publish to the current state of the model that its requests name. Later changes of the model have no effect.
 * Contract 4.21. Stops when the client leaves.
 * @throws invalidRequest (400), clientGone (499), scopeMissing (403), noSuchRecord (404), modelTooLarge (422),
 * managerAway and managerNotConfigured (503)
 */
export async function bindToModel(
  { models }: Pick<ApiContext, 'models'>,
  { principal, signal }: Pick<Input, 'principal' | 'signal'>,
  { requests, kind }: Pick<Submission, 'requests' | 'kind'>,
): Promise<Bound> {
  // All sub-requests name the same model.
  const name = requests[0]?.model
  if (name === undefined) return { requests, model: null }
  if (!principal.scopes.includes('manager:read')) throw errors.scopeMissing('manager:read')
  const { grn, document } = await requireModels(models)
    .checkedBy(() => signal.throwIfAborted())
    .visibleTo(principal)
    .bindable(name)
  const model = await boundModelOf(grn, document)
  const { bound, issues, made } = createBinding(model)
  const isMulti = kind === 'multi'
  const broken: Issue[] = []
  const completed: PublishRequest[] = []
  for (const [index, request] of requests.entries()) {
    const at = isMulti ? `[${index}]` : ''
    const inside = (path: string) => (isMulti ? `${at}.${path}` : path)
    const before = broken.length
    for (const { path, message } of issues(request)) {
      broken.push({ path: inside(path), message })
      if (broken.length > maxIssues) throw errors.invalidRequest(broken)
    }
    const whole = bound(request)
    completed.push(whole)
    const { indices, entries } = made()
    if (entries > mostEntries) {
      const which = `the sub-requests up to this one have ${indices} different mappedIndices`
      const message = `${which}, which the model completes to over ${mostEntries} entries: split the multi`
      throw errors.invalidRequest([...broken, { path: inside('index'), message }])
    }
    // If `mappedIndices` cannot be completed, every rule about them would also fail.
    if (broken.length > before) continue
    for (const [path, message] of rulesOfIndices(whole)) broken.push({ path: inside(path), message })
    if (broken.length > maxIssues) break
  }
  if (isMulti && broken.length === 0) broken.push(...agreement(completed))
  if (broken.length > 0) throw errors.invalidRequest(broken)
  return { requests: completed, model }
}

/**
 * Entries in all `mappedIndices` of a multi, after the model has completed them. Beyond this limit the answer is
 * `400 invalidRequest`. They take about 30 MB: each different `index` needs its own `mappedIndices`.
 */
const mostEntries = 200_000

/**
 * Node types with their implementations, or properties, of a publish's model. Beyond this limit the answer is
 * `422 modelTooLarge`. They take about 10 MB in the API and in a worker.
 */
const mostElements = 100_000
/** Bytes of the keys of a publish's model. Beyond this limit the answer is `422 modelTooLarge`. */
const mostKeyBytes = 8 * 1024 * 1024

/** @throws modelTooLarge (422) */
async function boundModelOf(version: string, document: AsyncIterable<VersionDocument>): Promise<BoundModel> {
  const known = new Map<string, ModelledProperty>()
  const types: BoundModel['types'] = []
  let [elements, keyBytes] = [0, 0]
  for await (const { properties, nodeTypes } of document) {
    for (const { key, dataType } of properties) {
      const type = dataTypeOf(dataType as string | undefined)
      known.set(key, type === null ? { key } : { key, dataType: type })
      keyBytes += Buffer.byteLength(key)
    }
    for (const { key: label, properties: implemented } of nodeTypes) {
      elements += 1 + implemented.length
      keyBytes += Buffer.byteLength(label)
      types.push({
        label,
        // Node types share the texts of a property: its key would be another copy in each of them.
        properties: implemented.map(({ key, ...flags }) => implementedAs(known.get(key) as ModelledProperty, flags)),
      })
    }
    if (Math.max(elements, known.size) > mostElements || keyBytes > mostKeyBytes)
      throw errors.modelTooLarge(mostElements, mostKeyBytes)
  }
  return { version, types, properties: [...known.keys()] }
}

function implementedAs(property: ModelledProperty, { unique, indexed, required, sensitive }: Flags): ModelledProperty {
  return {
    ...property,
    ...(unique === true ? { unique } : {}),
    ...(indexed === true ? { indexed } : {}),
    ...(required === true ? { required } : {}),
    ...(sensitive === true ? { sensitive } : {}),
  }
}

type Flags = { unique?: unknown; indexed?: unknown; required?: unknown; sensitive?: unknown }
