import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { constants } from 'node:os'

/*
 * Three safeguards against leaked process groups, because each alone has a gap:
 * - signal handlers: on a signal Node would exit without its children, which are not in the terminal's group;
 * - an exit handler, which also covers uncaught exceptions;
 * - a watchdog for SIGKILL, which cannot be caught: a shell reads a pipe, and kills remaining groups when it closes.
 */
const groups = new Set<number>()
const leftovers = new Set<() => void>()
let watchdog: ChildProcess | undefined

/** Installs the safeguards. Call it before starting the first process, as a signal may arrive right after. */
export function installGuards(): void {
  if (watchdog) return
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) exitOn(signal)
  process.on('exit', removeEverything)
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

/** Runs `remove`, which must be synchronous, when this process exits, unless it is forgotten before. */
export function guardLeftover(remove: () => void): { forget(): void } {
  installGuards()
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

function removeEverything(): void {
  for (const pid of groups) killGroup(pid, 'SIGKILL')
  for (const remove of leftovers) remove()
}

// A program with its own signal handler decides when to exit, unless it is signalled again or takes too long.
// npm forwards a Ctrl-C that the terminal has also sent: one Ctrl-C may arrive twice in quick succession.
const AGAIN_AFTER_MS = 1000
const EXIT_LIMIT_MS = 60_000

function exitOn(signal: NodeJS.Signals): void {
  const leave = () => process.exit(128 + constants.signals[signal])
  let firstAt: number | undefined
  process.on(signal, () => {
    const isAlone = process.listenerCount(signal) === 1
    const isAskedAgain = firstAt !== undefined && Date.now() - firstAt > AGAIN_AFTER_MS
    if (isAlone || isAskedAgain) leave()
    if (firstAt === undefined) setTimeout(leave, EXIT_LIMIT_MS).unref()
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
  // If the watchdog fails, the other two safeguards remain.
  child.on('error', () => {})
  pipe.on('error', () => {})
  // The watchdog ends with this process, and must not keep it alive.
  child.unref()
  pipe.unref()
  return child
}
