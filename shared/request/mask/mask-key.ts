import type { SecretKey } from '../../config/lists.ts'
import { subkey } from '../../origin/keyed-hash.ts'

/** The key of an org for the hashes of masked values. `id` is that of the configured key that it comes from. */
export type MaskKey = SecretKey

/** The key of an org: no two orgs share hashes, and nothing is stored. An org is the first segment of its directory. */
export const maskKeyOf = ({ id, key }: SecretKey, orgName: string): MaskKey => ({
  id,
  key: subkey(key, 'mask', orgName.split('/')[0] as string),
})
