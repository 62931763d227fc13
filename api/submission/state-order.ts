import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import { askedFor, type StateOrder } from '../../shared/jobs/order.ts'
import { packetMaskingOf } from '../../shared/publish/content.ts'
import { findBase } from '../../shared/publish/state/base.ts'
import type { PublishRequest } from '../../shared/request/fields.ts'
import { identityRule } from '../../shared/request/identity.ts'
import type { MaskKey } from '../../shared/request/mask/mask-key.ts'
import type { Generations } from '../../shared/storage/generations.ts'

/**
 * What a publish asks of its state: to be a base, or to have one. Undefined if it asks for nothing.
 * @throws unusableBase (409), invalidRequest (400)
 */
export async function stateOrderOf(
  generations: Generations,
  { orgName, requests }: Pick<Submission, 'orgName' | 'requests'>,
  bound: { requests: readonly PublishRequest[] },
  maskKey: Pick<MaskKey, 'id'> | null,
): Promise<StateOrder | undefined> {
  const fileName = askedFor(requests, 'base')
  if (fileName !== undefined || askedFor(requests, 'asBase')) requireSameLabels(bound.requests)
  if (fileName === undefined) return askedFor(requests, 'asBase') ? { base: null, deleteMissing: null } : undefined
  const { generation } = await findBase(generations, orgName, fileName, {
    requests: bound.requests,
    masking: packetMaskingOf(requests, maskKey),
  })
  return { base: { fileName, generation }, deleteMissing: askedFor(requests, 'deleteMissing') ?? null }
}

/**
 * Sub-requests map the same labels: a node that one of them finds by a label must be known by it to all.
 * @throws invalidRequest (400)
 */
function requireSameLabels(requests: readonly PublishRequest[]): void {
  const labelsOf = (mappedIndices: PublishRequest['mappedIndices']) =>
    JSON.stringify(Object.entries(identityRule(mappedIndices ?? {}).byLabel).sort(([a], [b]) => byCodePoint(a, b)))
  const first = labelsOf(requests[0]?.mappedIndices)
  const seen = new Set([requests[0]?.mappedIndices])
  for (const [at, { mappedIndices }] of requests.entries()) {
    if (seen.has(mappedIndices)) continue
    seen.add(mappedIndices)
    if (labelsOf(mappedIndices) === first) continue
    const message = 'must map the same labels as in [0], because the packet has a state'
    throw errors.invalidRequest([{ path: `[${at}].mappedIndices`, message }])
  }
}
