import { BlockList, isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { AllowRule } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { DbUrl } from './db-url.ts'
import { createLookup, type Lookup } from './lookup.ts'

export interface OriginPolicy {
  /** null: public addresses only. */
  allow: readonly AllowRule[] | null
  ports: readonly number[]
  /** Name servers that resolve the hosts of origins; null: the system's. */
  dnsServers: readonly string[] | null
}

// Longer than a working resolver takes, and longer than a look-up should queue.
const lookupMs = 5_000

/** IPv4 networks that IANA reserves for uses other than the public internet. */
const reserved = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved.addSubnet(network, prefix, 'ipv4')
const publicIpv6 = new BlockList()
publicIpv6.addSubnet('2000::', 3, 'ipv6')
const reservedIpv6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  reservedIpv6.addSubnet(network, prefix, 'ipv6')
}

function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !reserved.check(address, 'ipv4')
  return publicIpv6.check(address, 'ipv6') && !reservedIpv6.check(address, 'ipv6')
}

function inNetwork(address: string, rule: Extract<AllowRule, { kind: 'network' }>): boolean {
  const list = new BlockList()
  list.addSubnet(rule.address, rule.prefix, rule.family)
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

function namedBy(host: string, rule: AllowRule): boolean {
  if (rule.kind === 'host') return host === rule.host
  return rule.kind === 'suffix' && host.endsWith(rule.suffix)
}

/**
 * Resolves an origin's host and refuses it unless its name or all its addresses are allowed. Contract 9; seed, `dbUrl`.
 * A rule with a port allows only that port; a rule without one allows those in `ports`.
 * @returns a checked address. Connect to it, not to the name, which may resolve to another address a moment later.
 * @throws dbUrlRefused, dbUrlPortRefused (422); originUnreachable (502) if the name does not resolve.
 */
export async function checkedAddress(
  { host, port }: DbUrl,
  policy: OriginPolicy,
  resolveName: Lookup = createLookup(policy.dnsServers),
): Promise<string> {
  const resolve = (name: string) => addressesOf(name, resolveName)
  if (policy.allow === null) {
    if (!policy.ports.includes(port)) throw errors.dbUrlPortRefused()
  } else {
    const takesPort = (rule: AllowRule) => (rule.port === null ? policy.ports.includes(port) : rule.port === port)
    const rules = policy.allow.filter(takesPort)
    const [first] = rules.some((rule) => namedBy(host, rule)) ? await resolve(host) : []
    if (first !== undefined) return first
    const networks = rules.filter((rule) => rule.kind === 'network')
    if (networks.length === 0) throw errors.dbUrlRefused()
    const addresses = await resolve(host)
    if (!addresses.every((address) => networks.some((rule) => inNetwork(address, rule)))) throw errors.dbUrlRefused()
    return addresses[0] as string
  }
  const addresses = await resolve(host)
  if (!addresses.every(isPublic)) throw errors.dbUrlRefused()
  return addresses[0] as string
}

async function addressesOf(host: string, resolveName: Lookup): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const ended = new AbortController()
  const late = AbortSignal.any([ended.signal, AbortSignal.timeout(lookupMs)])
  const found = await Promise.race([resolveName(host, late), delay(lookupMs, [], ended)])
    .catch((cause) => {
      throw errors.originUnreachable(cause)
    })
    .finally(() => ended.abort())
  if (found.length === 0) throw errors.originUnreachable()
  return found
}
