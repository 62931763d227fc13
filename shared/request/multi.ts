import { packetNameProblem } from '../../packet/names.ts'
import type { Issue } from '../errors/app-error.ts'
import { maxIssues } from '../errors/app-error.ts'
import { atOnce, type Steps } from '../lifecycle/turns.ts'
import { shown } from '../validation/issues.ts'
import type { PublishRequest } from './fields.ts'
import { idPropertyOf } from './identity.ts'
import { maskText, onlyText } from './mask/masking.ts'
import { optionAgreement } from './option-agreement.ts'
import { planOf } from './plan.ts'
import { parsePublishRequest } from './rules.ts'

/** Sub-requests of one packet, and where to store it; the names may be empty with `returnOnly`. */
export interface Multi {
  requests: PublishRequest[]
  orgName: string
  fileName: string
  returnOnly: boolean
}

/** Sub-requests of a multi. Beyond this limit the answer is `400 invalidRequest`. */
export const maxSubRequests = 10_000
/**
 * Different `credentials` in a multi. Beyond this limit the answer is `400 invalidRequest`. The service encrypts and
 * stores them with the request, in full.
 */
const maxCredentials = 100

interface ParsedMulti {
  multi: Multi
  issues: Issue[]
}

export const parseMulti = (body: unknown, options: { isDryRun?: boolean } = {}): ParsedMulti =>
  atOnce(multiSteps(body, options))

/**
 * Validates the body of multi: each sub-request, then what they must agree on. Seed, #4; contract 5 and 7.4. For a dry
 * run no names are required. Tens of megabytes take half a second, so each step validates only one sub-request.
 */
export function* multiSteps(body: unknown, { isDryRun = false } = {}): Steps<ParsedMulti> {
  const none: Multi = { requests: [], orgName: '', fileName: '', returnOnly: false }
  if (!Array.isArray(body) || body.length === 0 || body.length > maxSubRequests) {
    return {
      multi: none,
      issues: [{ path: '', message: `the body must be an array of 1 to ${maxSubRequests} publish requests` }],
    }
  }
  const requests: PublishRequest[] = []
  const issues: Issue[] = []
  for (const [index, item] of body.entries()) {
    const parsed = parsePublishRequest(item, { at: `[${index}]`, sharesStorage: true, isDryRun })
    yield requests.push(parsed.request)
    for (const issue of parsed.issues) issues.push(issue)
    if (issues.length < maxIssues || index === body.length - 1) continue
    const rest = body.length - index - 1
    const message = `the ${rest} sub-requests after [${index}] were not checked, as too many rules are broken`
    return { multi: none, issues: [{ path: '', message }, ...issues] }
  }
  for (const issue of agreement(requests)) yield issues.push(issue)
  const named = (field: 'orgName' | 'fileName') =>
    requests.find((request) => request[field] !== undefined)?.[field] ?? ''
  const multi = {
    requests,
    orgName: named('orgName'),
    fileName: named('fileName'),
    returnOnly: requests[0]?.returnOnly === true,
  }
  const hasName = (field: string) => body.some((item) => (item?.[field] ?? null) !== null)
  for (const field of ['orgName', 'fileName'] as const) {
    if (!multi.returnOnly && !isDryRun && !hasName(field)) {
      issues.push({ path: field, message: 'required in at least one sub-request unless returnOnly is true' })
    }
  }
  // If a sub-request gives both names, the problem was already reported.
  const isReported = requests.some(({ orgName, fileName }) => orgName !== undefined && fileName !== undefined)
  const hasNames = !isDryRun || (multi.orgName !== '' && multi.fileName !== '')
  const problem = hasNames ? packetNameProblem(multi.orgName, multi.fileName) : null
  if (problem && !isReported) issues.push({ path: 'fileName', message: problem })
  return { multi, issues }
}

/** Fields on which all sub-requests agree, and what an absent one means; undefined agrees with every value. */
const agreed = {
  orgName: undefined,
  fileName: undefined,
  callbackUrl: undefined,
  expiresAfterDays: undefined,
  compression: undefined,
  asBase: undefined,
  base: undefined,
  deleteMissing: undefined,
  returnOnly: false,
  parameterSyntax: null,
  model: null,
  onModelViolation: 'fail',
}

/** Reports what sub-requests must agree on but do not. Contract 5, order independence. */
export function* agreement(requests: readonly PublishRequest[]): Generator<Issue> {
  for (const [field, whenAbsent] of Object.entries(agreed))
    yield* differing(requests, field as keyof typeof agreed, whenAbsent)
  yield* differing(requests, 'mask', undefined, ({ mask = {} }) => maskText(mask))
  yield* differing(requests, 'only', undefined, ({ only = {} }) => onlyText(only))
  yield* tooManyCredentials(requests)
  yield* differingLabels(requests)
  yield* optionAgreement(requests.map(planOf))
}

/** Reports the first sub-request that exceeds the limit of distinct credentials. */
function* tooManyCredentials(requests: readonly PublishRequest[]): Generator<Issue> {
  const distinct = new Set<string>()
  for (const [index, { credentials }] of requests.entries()) {
    if (credentials === undefined || distinct.add(credentials).size <= maxCredentials) continue
    const message = `at most ${maxCredentials} different ones in one multi; split it`
    return yield { path: `[${index}].credentials`, message }
  }
}

/** Reports, for each label, the first sub-request that gives it another id property than an earlier one. */
function* differingLabels(requests: readonly PublishRequest[]): Generator<Issue> {
  const first = new Map<string, { index: number; idProperty: string }>()
  const reported = new Set<string>()
  const seen = new Set<object>()
  for (const [index, { mappedIndices = {} }] of requests.entries()) {
    if (seen.has(mappedIndices)) continue
    seen.add(mappedIndices)
    for (const label of Object.keys(mappedIndices)) {
      const idProperty = idPropertyOf(mappedIndices, label)
      const known = first.get(label)
      if (idProperty === undefined || reported.has(label)) continue
      if (known === undefined) first.set(label, { index, idProperty })
      else if (known.idProperty !== idProperty) {
        const path = `[${index}].mappedIndices.${shown(label)}`
        yield { path, message: `must be the same as in [${known.index}]` }
        if (reported.add(label).size === maxIssues) return
      }
    }
  }
}

/** Reports the first sub-request whose value differs from an earlier one's. */
function* differing(
  requests: readonly PublishRequest[],
  field: keyof PublishRequest,
  whenAbsent: unknown,
  read = (request: PublishRequest): unknown => request[field] ?? whenAbsent,
): Generator<Issue> {
  const first = requests.findIndex((request) => read(request) !== undefined)
  if (first === -1) return
  const expected = read(requests[first] as PublishRequest)
  const other = requests.findIndex((request) => read(request) !== undefined && read(request) !== expected)
  if (other !== -1) yield { path: `[${other}].${field}`, message: `must be the same as in [${first}]` }
}
