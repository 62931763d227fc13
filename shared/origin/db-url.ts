import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A parsed `dbUrl`. `host` is lower-case; an IPv6 address is without brackets. */
export interface DbUrl {
  encrypted: boolean
  host: string
  port: number
}

const grammar = /^(?:bolt|neo4j)(\+s)?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?$/
/**
 * Characters of `dbUrl`. Beyond this limit the answer is `400 invalidRequest`. It has room for `neo4j+s://`, a name of
 * 253 characters with a trailing dot, and a port.
 */
const longest = 271
const form = 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else'
const label = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/

/**
 * Parses a bolt endpoint: scheme, host, optional port, nothing else (contract 4.1, 9). `neo4j` means `bolt`: the
 * service reads the host itself, and requests no routing table, which could name any other host. Refuses other
 * notations that a resolver might read as an address (`127.1`, `0x7f000001`, `::ffff:127.0.0.1`).
 * @returns the parts, or the violated rule.
 */
export function parseDbUrl(text: string): DbUrl | { problem: string } {
  if (text.length > longest) return { problem: form }
  const [whole, encryption, hostText = '', portText] = grammar.exec(text) ?? []
  if (whole === undefined) return { problem: form }
  const parts = hostAndPort(hostText, Number(portText ?? 7687))
  return 'problem' in parts ? parts : { encrypted: encryption === '+s', ...parts }
}

/** Checks the host of an address, which has an IPv6 address in brackets, and its port. @returns the violated rule */
export function hostAndPort(text: string, port: number): { host: string; port: number } | { problem: string } {
  if (port < 1 || port > 65_535) return { problem: 'must have a port from 1 to 65535' }
  const host = text.toLowerCase().replace(/^\[|\]$/g, '')
  const problem = text.startsWith('[') ? ipv6Problem(host) : nameProblem(host)
  return problem === null ? { host, port } : { problem }
}

function ipv6Problem(address: string): string | null {
  if (isIP(address) !== 6) return 'must have a valid IPv6 address in brackets'
  // `::ffff:a.b.c.d`, `::a.b.c.d`, 64:ff9b::/96 and 2002::/16 embed an IPv4 address that an IPv6 check would miss.
  const { parts } = ipaddr.IPv6.parse(address)
  const embeds = address.includes('.') || parts.slice(0, 5).every((part) => part === 0)
  const isLoopback = parts.every((part, index) => part === (index === 7 ? 1 : 0))
  if (!isLoopback && (embeds || parts[0] === 0x2002 || (parts[0] === 0x64 && parts[1] === 0xff9b))) {
    return 'must not have an IPv6 address that carries an IPv4 address'
  }
  return null
}

function nameProblem(host: string): string | null {
  if (isIP(host) === 4) return null
  const labels = host.replace(/\.$/, '').split('.')
  if (host.length > 253 || !labels.every((part) => label.test(part))) return 'must have a valid host name'
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'must write an IPv4 address as four decimal numbers'
  return null
}
