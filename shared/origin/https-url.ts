import { hostAndPort } from './db-url.ts'

/** A parsed `callbackUrl`. `host` is lower-case; an IPv6 address is without brackets. `path` includes the query. */
export interface HttpsUrl {
  host: string
  port: number
  path: string
}

// The characters of RFC 3986, so that no parser changes them, or reads another host. No `#`: it would not be sent.
const grammar =
  /^https:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?((?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?)$/
/** Characters of `callbackUrl`. Beyond this limit the answer is `400 invalidRequest`. */
const longest = 2_000
const form = 'must be https://host[:port][/path][?query], without credentials or a fragment'

/**
 * Parses an address that the service sends to. The host follows the rules of `dbUrl`: no other notation that a resolver
 * might read as an address. Contract 9. @returns the parts, or the violated rule.
 */
export function parseHttpsUrl(text: string): HttpsUrl | { problem: string } {
  if (text.length > longest) return { problem: `must be at most ${longest} characters` }
  const [, hostText = '', portText = '443', path = ''] = grammar.exec(text) ?? []
  if (hostText === '') return { problem: form }
  const parts = hostAndPort(hostText, Number(portText))
  return 'problem' in parts ? parts : { ...parts, path: path.startsWith('/') ? path : `/${path}` }
}
