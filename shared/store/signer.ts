import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { StoreSettings } from '../config/config.ts'

/** A request as it is sent; names of headers in lower case. */
export interface UnsignedRequest {
  method: string
  /** Path and query, percent-encoded. */
  path: string
  headers: Readonly<Record<string, string>>
}

/** Of a body that only TLS protects. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** Headers that proxies and agents may change. */
const unsigned = new Set(['authorization', 'content-length', 'content-type', 'user-agent'])

const hmac = (key: string | KeyObject, text: string) => createHmac('sha256', key).update(text).digest()

export type Signer = ReturnType<typeof createSigner>

/**
 * Signs requests as AWS does (Signature Version 4, in headers). The key depends only on the day, so it is derived once a
 * day: the client derives it again for each request, with four HMACs. It is a `KeyObject`: with a key of bytes an HMAC takes
 * 28 µs instead of 5 (Node.js 24.18 to 24.21).
 */
export function createSigner({
  accessKey,
  secretKey,
  region,
}: Pick<StoreSettings, 'accessKey' | 'secretKey' | 'region'>) {
  let ofDay: { day: string; key: KeyObject } | undefined

  function keyOf(day: string): KeyObject {
    if (ofDay?.day !== day) {
      const derived = (key: string | KeyObject, text: string) => createSecretKey(hmac(key, text))
      ofDay = { day, key: [region, 's3', 'aws4_request'].reduce(derived, derived(`AWS4${secretKey}`, day)) }
    }
    return ofDay.key
  }

  return {
    /**
     * The headers of the signed request. `payload`: the SHA-256 of the body in hexadecimal, or `unsignedPayload`; `at`:
     * the time of the signature, by which the store judges its age.
     */
    sign({ method, path, headers }: UnsignedRequest, payload: string, at = new Date()): Record<string, string> {
      const time = at.toISOString().replace(/[:-]|\.\d{3}/g, '')
      const day = time.slice(0, 8)
      const sent: Record<string, string> = { ...headers, 'x-amz-date': time, 'x-amz-content-sha256': payload }
      const names = Object.keys(sent)
        .filter((name) => !unsigned.has(name))
        .sort()
      const [resource = '', query = ''] = path.split('?')
      const canonical = [
        method,
        resource,
        sortedQuery(query),
        ...names.map((name) => `${name}:${sent[name]?.trim().replace(/ +/g, ' ')}`),
        '',
        names.join(';'),
        payload,
      ]
      const scope = `${day}/${region}/s3/aws4_request`
      const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical.join('\n'))].join('\n')
      const signature = hmac(keyOf(day), text).toString('hex')
      const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
      return { ...sent, authorization }
    },
  }
}

/** Parameters in order; one without a value as `name=`. */
const sortedQuery = (query: string): string =>
  query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => (parameter.includes('=') ? parameter : `${parameter}=`))
    .sort()
    .join('&')
