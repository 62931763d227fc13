import type { Submission } from '../../shared/jobs/job.ts'
import { askedFor, type StateOrder } from '../../shared/jobs/order.ts'
import { packetMaskingOf } from '../../shared/publish/content.ts'
import { findBase } from '../../shared/publish/state/base.ts'
import type { PublishRequest } from '../../shared/request/fields.ts'
import type { MaskKey } from '../../shared/request/mask/mask-key.ts'
import type { Generations } from '../../shared/storage/generations.ts'

/**
 * What a publish asks of its state: to be a base, or to have one. Undefined if it asks for nothing.
 * @throws unusableBase (409)
 */
export async function stateOrderOf(
  generations: Generations,
  { orgName, requests }: Pick<Submission, 'orgName' | 'requests'>,
  bound: { requests: readonly PublishRequest[] },
  maskKey: Pick<MaskKey, 'id'> | null,
): Promise<StateOrder | undefined> {
  const fileName = askedFor(requests, 'base')
  if (fileName === undefined) return askedFor(requests, 'asBase') ? { base: null, deleteMissing: null } : undefined
  const { generation } = await findBase(generations, orgName, fileName, {
    requests: bound.requests,
    masking: packetMaskingOf(requests, maskKey),
  })
  return { base: { fileName, generation }, deleteMissing: askedFor(requests, 'deleteMissing') ?? null }
}
