import type { Config } from '../../shared/config/config.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { type MaskKey, maskKeyOf } from '../../shared/request/mask/mask-key.ts'
import { maskingOf } from '../../shared/request/mask/masking.ts'

/**
 * The key for the hashes of a publish, which the first of `MASK_KEYS` gives its org; null if it has no hashes. All
 * sub-requests have the same rules. Contract 4.24.
 * @throws invalidRequest (400) without an org, masksOff (422) without a key
 */
export function maskKeyFor(
  { requests, orgName }: { requests: readonly Parameters<typeof maskingOf>[0][]; orgName: string },
  { maskKeys }: Pick<Config, 'maskKeys'>,
): MaskKey | null {
  if (requests[0] === undefined || !maskingOf(requests[0])?.hashes) return null
  if (orgName === '') {
    const message = 'required with a hash in mask, whose key is that of the org'
    throw errors.invalidRequest([{ path: 'orgName', message }])
  }
  const [first] = maskKeys
  if (first === undefined) throw errors.masksOff()
  return maskKeyOf(first, orgName)
}
