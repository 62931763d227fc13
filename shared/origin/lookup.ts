import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createTurns } from './turns.ts'

/** All addresses of a name, or none; gives up when the signal aborts. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<string[]>

// The resolver's queries need no threads, but they should not be without number.
const asking = createTurns(256)
// The system's look-up takes one of the few threads that files, compression and everybody else's look-ups need as well.
const askingSystem = createTurns(1)

const tryMs = 1_000
const tries = 2
// Before the whole look-up is over, so that one kind of address is enough.
const longestMs = 4_000

/**
 * Looks names up as the system does: in the hosts file, then in DNS; and what only the system knows (search domains of a
 * cluster, say), by the system. A name server that is silent costs no thread. @param servers in place of the system's.
 */
export const createLookup =
  (servers: readonly string[] | null, hostsFile = '/etc/hosts'): Lookup =>
  async (host, signal) => {
    const name = host.replace(/\.$/, '')
    const local = inHosts(name, await readFile(hostsFile, 'utf8').catch(() => ''))
    if (local.length > 0) return local
    const { addresses, isSilent } = await asking(signal, () => resolve(name, servers))
    if (addresses.length > 0 || servers !== null) return addresses
    // Nobody outside answers, or fails to answer, for a name without a dot.
    if (isSilent && name.includes('.')) return []
    return askingSystem(signal, async () => (await lookup(host, { all: true })).map(({ address }) => address))
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

/** The addresses of a name in the text of a hosts file, the older kind first. `localhost` need not be in it. */
function inHosts(name: string, text: string): string[] {
  const found = text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const isIt = names.some((one) => one.toLowerCase() === name)
    return isIt && isIP(address) !== 0 && !address.includes('%') ? [address] : []
  })
  if (found.length === 0 && name === 'localhost') return ['127.0.0.1', '::1']
  return found.toSorted((a, b) => isIP(a) - isIP(b))
}
