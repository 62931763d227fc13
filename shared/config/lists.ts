import { isIP } from 'node:net'

/** A 32-byte key that encrypts credentials at rest, identified by `id`. */
export interface SecretKey {
  id: string
  key: Buffer
}

/** `kid:base64key[,kid:base64key]`; the first encrypts, all decrypt. @throws {Error} naming the rule, never the key. */
export function parseSecretKeys(text: string): SecretKey[] {
  return text.split(',').map((entry, index) => {
    const [, id, base64] = /^([\w-]{1,32}):([A-Za-z0-9+/]+=*)$/.exec(entry.trim()) ?? []
    if (id === undefined || base64 === undefined) throw new Error(`entry ${index + 1} must be kid:base64key`)
    const key = Buffer.from(base64, 'base64')
    if (key.length !== 32) throw new Error(`the key of "${id}" must be 32 bytes`)
    return { id, key }
  })
}

/** One entry of ORIGIN_ALLOW or CALLBACK_ALLOW: hosts or addresses, and a port if one is given. */
export type AllowRule =
  | { kind: 'host'; host: string; port: number | null }
  | { kind: 'suffix'; suffix: string; port: number | null }
  | { kind: 'network'; address: string; prefix: number; family: 'ipv4' | 'ipv6'; port: number | null }

/** Parses hosts, `*.suffix`, addresses and CIDRs (IPv6 in brackets), each with an optional `:port`. @throws {Error} */
export function parseOriginAllow(text: string): AllowRule[] {
  return text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .map(parseAllowRule)
}

/** Like `parseOriginAllow`, with at least one entry; null for `*`, which means public addresses. @throws {Error} */
export function parseCallbackAllow(text: string): AllowRule[] | null {
  if (text.trim() === '*') return null
  const rules = parseOriginAllow(text)
  if (rules.length === 0) throw new Error('must name at least one host, *.suffix or CIDR, or be *')
  return rules
}

const hostLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const numeric = /(^|\.)\d+$/

function parseAllowRule(entry: string): AllowRule {
  // The entry may be a URL with a password, so do not quote it.
  if (entry.includes('@')) throw new Error('an entry with an @ is not a host, *.suffix or CIDR')
  const [, host = '', prefixText, portText] =
    /^(\[[^\]]+\]|[^:/[\]]+)(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(entry) ?? []
  const port = portText === undefined ? null : Number(portText)
  if (host === '' || port === 0 || (port ?? 0) > 65_535) throw new Error(`"${entry}" is not a host, *.suffix or CIDR`)
  const bare = host.replace(/^\[|\]$/g, '')
  const version = isIP(bare)
  if (version === 0) {
    const name = bare.replace(/^\*\./, '')
    const isName =
      !host.startsWith('[') && name.split('.').every((label) => hostLabel.test(label)) && !numeric.test(name)
    if (prefixText !== undefined) throw new Error(`"${entry}" is not a CIDR`)
    if (!isName) throw new Error(`"${entry}" is not a host, *.suffix or CIDR`)
    return bare.startsWith('*.') ? { kind: 'suffix', suffix: bare.slice(1), port } : { kind: 'host', host: bare, port }
  }
  const longest = version === 4 ? 32 : 128
  const prefix = prefixText === undefined ? longest : Number(prefixText)
  if (prefix > longest) throw new Error(`"${entry}" is not a CIDR`)
  return { kind: 'network', address: bare, prefix, family: version === 4 ? 'ipv4' : 'ipv6', port }
}

/** Parses addresses of name servers, `10.0.0.2` or `10.0.0.2:5353,[fd00::2]:53`. @throws {Error} */
export function parseServers(text: string): string[] {
  return text.split(',').map((given) => {
    const entry = given.trim()
    const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(entry) ?? []
    const isAddress = isIP(entry) !== 0 || isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4
    if (!isAddress || Number(port) < 1 || Number(port) > 65_535) throw new Error(`"${entry}" is not an address`)
    return entry
  })
}
