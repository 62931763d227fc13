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

const algorithm = 'AWS4-HMAC-SHA256'

const hmac = (key: string | KeyObject, text: string) => createHmac('sha256', key).update(text).digest()

export type Signer = ReturnType<typeof createSigner>

/**
 * Signs requests, in headers, and links as AWS does (Signature Version 4). The key depends only on the day, so it is
 * derived once a day: the minio client derives it again for each signature, with four HMACs. It is a `KeyObject`: with a
 * key of bytes an HMAC takes 28 µs instead of 5 (Node.js 24.18 to 24.21).
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

  /** The signature of a request with the headers in `names`. `time`: such as `20130524T000000Z`. */
  function signatureOf({ method, path, headers }: UnsignedRequest, names: string[], payload: string, time: string) {
    const [resource = '', query = ''] = path.split('?')
    const canonical = [
      method,
      resource,
      sortedQuery(query),
      ...names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}`),
      '',
      names.join(';'),
      payload,
    ]
    const day = time.slice(0, 8)
    const text = [algorithm, time, scopeOf(day), hash('sha256', canonical.join('\n'))].join('\n')
    return hmac(keyOf(day), text).toString('hex')
  }

  const scopeOf = (day: string) => `${day}/${region}/s3/aws4_request`
  const credentialAt = (time: string) => `${accessKey}/${scopeOf(time.slice(0, 8))}`

  return {
    /**
     * The headers of the signed request. `payload`: the SHA-256 of the body in hexadecimal, or `unsignedPayload`; `at`:
     * the time of the signature, by which the store judges its age.
     */
    sign({ method, path, headers }: UnsignedRequest, payload: string, at = new Date()): Record<string, string> {
      const time = timeOf(at)
      const sent: Record<string, string> = { ...headers, 'x-amz-date': time, 'x-amz-content-sha256': payload }
      const names = Object.keys(sent)
        .filter((name) => !unsigned.has(name))
        .sort()
      const signature = signatureOf({ method, path, headers: sent }, names, payload, time)
      const credential = `Credential=${credentialAt(time)}, SignedHeaders=${names.join(';')}`
      return { ...sent, authorization: `${algorithm} ${credential}, Signature=${signature}` }
    },
    /** A link to GET a path, percent-encoded, with a query. It ends after so many seconds. */
    link({ origin, host }: Pick<URL, 'origin' | 'host'>, path: string, query: object, seconds: number): string {
      const time = timeOf(new Date())
      const signed = {
        ...query,
        'X-Amz-Algorithm': algorithm,
        'X-Amz-Credential': credentialAt(time),
        'X-Amz-Date': time,
        'X-Amz-Expires': String(seconds),
        'X-Amz-SignedHeaders': 'host',
      }
      const whole = `${path}?${queryOf(signed)}`
      const request = { method: 'GET', path: whole, headers: { host } }
      return `${origin}${whole}&X-Amz-Signature=${signatureOf(request, ['host'], unsignedPayload, time)}`
    },
  }
}

const timeOf = (at: Date) => at.toISOString().replace(/[:-]|\.\d{3}/g, '')

/** Parameters in order; one without a value as `name=`. */
const sortedQuery = (query: string): string =>
  query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => (parameter.includes('=') ? parameter : `${parameter}=`))
    .sort()
    .join('&')

/** Percent-encodes all but what signatures leave as it is. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** A query of these parameters, in this order. */
export const queryOf = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${escaped(value)}`)
    .join('&')
