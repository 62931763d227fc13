import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { type Options, usualStore } from './options.ts'

/** One round's measurement of a lane. CPU time in seconds, memory in megabytes. */
export interface Measured extends Record<string, number> {
  /** Rows, exported entities, pairs or submits, by lane. */
  statements: number
  seconds: number
}

interface Stored {
  commit: string
  scale: number
  machine: string
  startedAt: string
  /** The rounds of each lane. */
  lanes: Record<string, Measured[]>
}

const root = join(import.meta.dirname, '../..')

/** Completed rounds of this code at this scale and on this store; later runs reuse them. */
export function openResults({ scale, fresh, store }: Pick<Options, 'scale' | 'fresh' | 'store'>) {
  const commit = codeVersion()
  const file = join(root, `.local/bench/${commit}-scale-${scale}${store === usualStore ? '' : `-${store}`}.json`)
  if (fresh) rmSync(file, { force: true })
  const machine = `${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  const empty: Stored = { commit, scale, machine, startedAt: new Date().toISOString(), lanes: {} }
  const stored: Stored = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : empty
  return {
    file,
    stored,
    rounds: (lane: string): readonly Measured[] => stored.lanes[lane] ?? [],
    add(lane: string, measured: Measured) {
      stored.lanes[lane] = [...(stored.lanes[lane] ?? []), measured]
      mkdirSync(dirname(file), { recursive: true })
      // Renamed into place, so that an interrupted run leaves a readable file.
      writeFileSync(`${file}.new`, `${JSON.stringify(stored, null, 2)}\n`)
      renameSync(`${file}.new`, file)
    },
  }
}

export type Results = ReturnType<typeof openResults>

/** The commit, plus a hash of all files if the work tree is dirty. */
function codeVersion(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd()
  const commit = git('rev-parse', '--short=12', 'HEAD')
  if (git('status', '--porcelain') === '') return commit
  const hash = createHash('sha256')
  for (const file of git('ls-files', '--cached', '--others', '--exclude-standard').split('\n')) {
    const path = join(root, file)
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) hash.update(file).update(readFileSync(path))
  }
  return `${commit}-changed-${hash.digest('hex').slice(0, 8)}`
}
