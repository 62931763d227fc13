import type { Logger } from './log.ts'

/** The actions that have audit lines, each with the fields that say what changed. docs/operations.md explains them. */
export const auditedActions = {
  'org.create': ['orgName'],
  'packet.publish': ['orgName', 'fileName', 'generation', 'sha256', 'jobId'],
  'packet.remove': ['orgName', 'fileName', 'generation'],
  'file.remove': ['orgName', 'fileName'],
  'job.cancel': ['jobId', 'orgName', 'fileName'],
  'job.callback': ['jobId', 'orgName', 'fileName'],
  'queue.pause': [],
  'queue.resume': [],
  'model.create': ['grn', 'params'],
  'model.change': ['grn', 'params'],
  'model.delete': ['grn', 'params'],
  'model.import': ['grn', 'params'],
  'model.copy': ['grn', 'params'],
  'request.refuse': ['method', 'route', 'reason'],
} as const

type Action = keyof typeof auditedActions

/** What was changed. Holds names and ids only: nothing of the graph, no credentials. */
export type Change = {
  [Each in Action]: { action: Each } & Record<(typeof auditedActions)[Each][number], unknown>
}[Action]

/** `accepted`: a worker will make the change; `refused`: nothing was changed. */
export type Outcome = 'done' | 'accepted' | 'refused'

/** Who sent a request, and its ids. null: the sender is unknown, or there is no trace. */
export interface Sender {
  /** The `identity` of a principal. */
  by: string | null
  requestId: string | null
  /** In the form of `parseTraceparent`. */
  traceparent: string | null
}

/** The fields of a change that name a job. */
export const namesOf = ({ id, orgName, fileName }: { id: string; orgName: string; fileName: string }) => ({
  jobId: id,
  orgName,
  fileName,
})

/** Writes the audit line of a change that is certain, at any log level except `silent`. */
export function audit(
  log: Logger,
  { by, requestId }: Pick<Sender, 'by' | 'requestId'>,
  change: Change,
  outcome: Outcome = 'done',
): void {
  const level = log.level === 'silent' ? 'silent' : 'info'
  const { action, ...fields } = change
  log.child({}, { level }).info({ audit: true, action, outcome, by, requestId, ...fields }, 'audit')
}
