import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { constants } from 'node:os'

/*
 * Three nets under every process group that is started here, because each misses something:
 * - a signal to us: Node would die without telling the children, which do not share our terminal's group;
 * - our own exit, an uncaught exception included;
 * - SIGKILL, which we cannot see: a small shell holds the other end of a pipe, and kills what is left when the pipe ends.
 */
const groups = new Set<number>()
const leftovers = new Set<() => void>()
let watchdog: ChildProcess | undefined

/** Call it before the first process is started: a signal just after would find no net. */
export function spreadNets(): void {
  if (watchdog) return
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) leaveOn(signal)
  process.on('exit', dropEverything)
  watchdog = startWatchdog()
}

export function guardGroup(pid: number): void {
  groups.add(pid)
  watchdog?.stdin?.write(`+ ${pid}\n`)
}

export function forgetGroup(pid: number): void {
  groups.delete(pid)
  watchdog?.stdin?.write(`- ${pid}\n`)
}

/** Runs `remove` if this process ends without having come to it. It must be synchronous. */
export function guardLeftover(remove: () => void): { forget(): void } {
  spreadNets()
  leftovers.add(remove)
  return { forget: () => leftovers.delete(remove) }
}

export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function dropEverything(): void {
  for (const pid of groups) killGroup(pid, 'SIGKILL')
  for (const remove of leftovers) remove()
}

// A program with a shutdown of its own listens too, and decides, unless it is asked twice or does not come to an end.
// npm passes on a Ctrl-C that the terminal has sent already: the same one may arrive twice within a moment.
const AGAIN_AFTER_MS = 1000
const PATIENCE_MS = 60_000

function leaveOn(signal: NodeJS.Signals): void {
  const leave = () => process.exit(128 + constants.signals[signal])
  let firstAt: number | undefined
  process.on(signal, () => {
    const isAlone = process.listenerCount(signal) === 1
    const isAskedAgain = firstAt !== undefined && Date.now() - firstAt > AGAIN_AFTER_MS
    if (isAlone || isAskedAgain) leave()
    if (firstAt === undefined) setTimeout(leave, PATIENCE_MS).unref()
    firstAt ??= Date.now()
  })
}

const WATCHDOG = `
live=
while read -r sign pid; do
  case $sign in
    +) live="$live $pid" ;;
    -) rest=; for other in $live; do [ "$other" = "$pid" ] || rest="$rest $other"; done; live=$rest ;;
  esac
done
for pid in $live; do kill -s KILL -- "-$pid"; done`

function startWatchdog(): ChildProcess {
  const child = spawn('sh', ['-c', WATCHDOG], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const pipe = child.stdin as Socket
  // Without it the other two nets still hold.
  child.on('error', () => {})
  pipe.on('error', () => {})
  // It ends with this process, and must not keep it alive.
  child.unref()
  pipe.unref()
  return child
}
