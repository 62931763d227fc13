import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

declare const BUILT_FILE: string | undefined

/** The file of the program that runs, from the root of the project: `dist/worker.mjs`; null if it runs unbuilt. */
export const builtFile: string | null = typeof BUILT_FILE === 'undefined' ? null : BUILT_FILE

/** What `npm run build` writes into `dist/build.json`. */
export interface Build {
  /** The files of the project that the programs were built from, from its root. */
  sources: string[]
  sourceDigest: string
  /** The files that were built, from `dist`, each with its digest. */
  files: Record<string, string>
}

/**
 * The SHA-256 of these files and their names, as hex. A file that is missing counts as empty. It reads through one small
 * buffer: what a program has once taken at its start, it keeps.
 */
export function digestOf(folder: string, files: readonly string[]): string {
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(65_536)
  for (const file of files) {
    const path = join(folder, file)
    const descriptor = existsSync(path) ? openSync(path, 'r') : null
    hash.update(`${file}\n${descriptor === null ? 0 : fstatSync(descriptor).size}\n`)
    if (descriptor === null) continue
    for (let read = 1; read > 0; ) {
      read = readSync(descriptor, buffer)
      hash.update(buffer.subarray(0, read))
    }
    closeSync(descriptor)
  }
  return hash.digest('hex')
}

/** The build of a project; null if there is none, or it was interrupted. */
export function readBuild(root: string): Build | null {
  try {
    return JSON.parse(readFileSync(join(root, 'dist/build.json'), 'utf8'))
  } catch {
    return null
  }
}

/** Why a built program must not run: its file is not whole, or was built from other sources. Null if it may. */
export function problemOfBuild(root: string, file: string): string | null {
  const build = readBuild(root)
  const name = file.replace('dist/', '')
  if (build === null || digestOf(join(root, 'dist'), [name]) !== build.files[name])
    return `${file} is not as it was built: run \`npm run build\``
  // An image has no sources.
  const isAlone = !build.sources.some((source) => existsSync(join(root, source)))
  if (isAlone || digestOf(root, build.sources) === build.sourceDigest) return null
  return `${file} was built from other sources: run \`npm run build\``
}

/** Ends a built program that must not run, with exit code 1. */
export function exitIfBroken(): void {
  const problem = builtFile === null ? null : problemOfBuild(join(import.meta.dirname, '..'), builtFile)
  if (problem === null) return
  console.error(problem)
  process.exit(1)
}
