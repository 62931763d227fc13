import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import type { ObjectStore } from './object-store.ts'

/** How a store differs from S3 in what the service can cope with. The probe at start finds out. */
export type StoreRules = Pick<ObjectStore, 'compareKeys' | 'finalKey' | 'keysBelowKeys'>

/** How a store that conforms to S3 lists keys: by code point, and only complete objects. */
export const s3Keys: Omit<StoreRules, 'keysBelowKeys'> = { compareKeys: byCodePoint, finalKey: (key) => key }

/**
 * How S3Proxy on a file system lists keys: by UTF-16 unit, as Java and JavaScript compare (U+1F600 before U+FF71), and
 * an object that is being written as `<key>-<uuid>`. No other module depends on this.
 */
export const s3ProxyKeys: typeof s3Keys = {
  compareKeys: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  finalKey: (key) => key.replace(/-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, ''),
}
