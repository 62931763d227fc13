import { BlockList, isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import type { OriginSettings } from '../config/config.ts'
import type { AllowRule } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { DbUrl } from './db-url.ts'
import { createLookup, type Lookup } from './lookup.ts'

export type OriginPolicy = Pick<OriginSettings, 'allow' | 'port' | 'dnsServers'>

/**
 * Time of the look-up of a host. Beyond this limit the answer is `502 originUnreachable`. A working resolver takes
 * less.
 */
const lookupMs = 5_000

// ipaddr.js calls every address unicast that none of its lists names; IANA has allocated IPv6 addresses from here only.
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

// Azure's host agent has this public address inside every virtual machine; it hands out secrets of the machine.
const hostAgent = '168.63.129.16'

/** Whether an address belongs to the public internet. */
function isPublic(text: string): boolean {
  // ipaddr.js also accepts zones, and forms of IPv4 addresses that other parsers read differently, as `010.8.8.8`.
  if (isIP(text) === 0 || text.includes('%') || text === hostAgent) return false
  const address = ipaddr.parse(text)
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalIpv6))
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
 * A rule with a port allows only that port; a rule without a port allows the policy's port.
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
    if (port !== policy.port) throw errors.dbUrlPortRefused()
  } else {
    const takesPort = (rule: AllowRule) => port === (rule.port ?? policy.port)
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
