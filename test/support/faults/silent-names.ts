import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import { closeSync, constants, open, openSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Preloaded into a process: no name server answers for names that end in SILENT_NAMES. As in reality, a system lookup
 * occupies a thread of the process while it tries; c-ares asks SILENT_SERVER.
 */
const { SILENT_NAMES: silent = '', SILENT_SERVER: server = '', SILENT_DIRECTORY: directory = '' } = process.env
const triesMs = 40_000
const waiting = new Set<() => void>()
let count = 0

/** Occupies a thread of the pool: opening a pipe without a writer blocks. */
function waitInAThread(done: () => void): void {
  const pipe = `${directory}/${process.pid}-${count++}`
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  open(pipe, 'r', (_, descriptor) => {
    if (descriptor !== undefined) closeSync(descriptor)
    rmSync(pipe)
    done()
  })
  const giveUp = () => {
    waiting.delete(giveUp)
    closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK))
  }
  waiting.add(giveUp)
  setTimeout(() => waiting.has(giveUp) && giveUp(), triesMs).unref()
}
// A process does not exit before its threads do.
process.on('exit', () => {
  for (const giveUp of waiting) giveUp()
})

const noAnswer = (name: string) =>
  Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' })
const { lookup } = dns
const { lookup: lookupPromised } = dns.promises

dns.lookup = Object.assign((name: string, ...rest: unknown[]) => {
  if (!name.endsWith(silent)) return Reflect.apply(lookup, dns, [name, ...rest])
  waitInAThread(() => (rest.at(-1) as (error: Error) => void)(noAnswer(name)))
}, lookup) as typeof dns.lookup

dns.promises.lookup = (async (name: string, ...rest: unknown[]) => {
  if (!name.endsWith(silent)) return Reflect.apply(lookupPromised, dns.promises, [name, ...rest])
  await new Promise<void>((done) => waitInAThread(done))
  throw noAnswer(name)
}) as typeof dns.promises.lookup

function asksTheSilent<Resolver extends new (...given: never[]) => dns.Resolver | dns.promises.Resolver>(of: Resolver) {
  return new Proxy(of, {
    construct(target, given, newTarget) {
      const resolver = Reflect.construct(target, given, newTarget)
      resolver.setServers([server])
      return resolver
    },
  })
}
dns.Resolver = asksTheSilent(dns.Resolver)
dns.promises.Resolver = asksTheSilent(dns.promises.Resolver)
dns.setServers([server])
syncBuiltinESMExports()
