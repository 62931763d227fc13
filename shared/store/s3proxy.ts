import { randomUUID } from 'node:crypto'
import { byCodePoint } from '../packet/cypher/identifiers.ts'
import { type ObjectStore, probeKey } from './object-store.ts'

type KeyRules = Pick<ObjectStore, 'compareKeys' | 'finalKey'>

/** How a store that conforms to S3 lists keys: by code point, and only complete objects. */
export const s3Keys: KeyRules = { compareKeys: byCodePoint, finalKey: (key) => key }

/**
 * How S3Proxy on a file system lists keys: by UTF-16 unit, as Java and JavaScript compare (U+1F600 before U+FF71), and
 * an object that is being written as `<key>-<uuid>`. No other module depends on this.
 */
const s3ProxyKeys: KeyRules = {
  compareKeys: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  finalKey: (key) => key.replace(/-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, ''),
}

/** Detects by the order of two keys which rules a store has. */
export async function detectKeyRules(store: ObjectStore): Promise<KeyRules> {
  const start = `${probeKey(randomUUID())}-`
  const keys = ['\uff71', '\u{1f600}'].map((character) => start + character)
  try {
    for (const key of keys) await store.put(key, Buffer.from('probe'))
    for await (const { key } of store.list(start)) return key === keys[0] ? s3Keys : s3ProxyKeys
    return s3Keys
  } finally {
    for (const key of keys) await store.remove(key)
  }
}
