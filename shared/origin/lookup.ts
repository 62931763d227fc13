import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { limitConcurrency } from './limit-concurrency.ts'

/** All addresses of a host name; empty if it has none. Stops waiting when the signal aborts. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<string[]>

// Resolver queries use no threads; this only bounds how many run at once.
const limitQueries = limitConcurrency(256)
// A system look-up occupies one of the few libuv threads, which files, compression and all other look-ups share.
const limitSystemLookups = limitConcurrency(1)

const tryMs = 1_000
const tries = 2
/**
 * Time of the DNS queries for a name. Beyond this limit the service cancels them, and one address family suffices. The
 * whole look-up may take longer.
 */
const longestMs = 4_000

/**
 * Resolves names in the system's order: hosts file, DNS, then the system's resolver for names that only it knows (such
 * as a cluster's search domains). A silent name server occupies no thread. @param servers replace the system's.
 */
export const createLookup =
  (servers: readonly string[] | null, hostsFile = '/etc/hosts'): Lookup =>
  async (host, signal) => {
    const name = host.replace(/\.$/, '')
    const local = inHosts(name, await readFile(hostsFile, 'utf8').catch(() => ''))
    if (local.length > 0) return local
    const { addresses, isSilent } = await limitQueries(signal, () => resolve(name, servers))
    if (addresses.length > 0 || servers !== null) return addresses
    // A name without a dot is local: the silence of DNS says nothing about it.
    if (isSilent && name.includes('.')) return []
    return limitSystemLookups(signal, async () => (await lookup(host, { all: true })).map(({ address }) => address))
  }

async function resolve(name: string, servers: readonly string[] | null) {
  const resolver = new Resolver({ timeout: tryMs, tries })
  if (servers !== null) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), longestMs)
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  clearTimeout(timer)
  return {
    addresses: found.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    isSilent: found.some((one) => one.status === 'rejected' && /TIMEOUT|CANCELLED/.test(String(one.reason.code))),
  }
}

/** Addresses of a name in the text of a hosts file, IPv4 first. `localhost` resolves even if it is missing. */
function inHosts(name: string, text: string): string[] {
  const found = text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const isIt = names.some((one) => one.toLowerCase() === name)
    return isIt && isIP(address) !== 0 && !address.includes('%') ? [address] : []
  })
  if (found.length === 0 && name === 'localhost') return ['127.0.0.1', '::1']
  return found.toSorted((a, b) => isIP(a) - isIP(b))
}
