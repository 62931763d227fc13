import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram } from '../../dev/stack/native/programs.ts'
import { describeExit } from '../../dev/stack/processes.ts'
import type { Run } from '../../dev/stack/run.ts'

/** A server that comes as a Go module. */
interface GoServer {
  name: string
  module: string
  version: string
  /** The package of its program. */
  program: string
}

export const versityGw: GoServer = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw',
  version: 'v1.8.0',
  program: 'github.com/versity/versitygw/cmd/versitygw',
}

const folder = join(import.meta.dirname, '../../.local/stores')

const pathOf = ({ name, version }: GoServer): string => join(folder, `${name}-${version}`, name)

export const isBuilt = (server: GoServer): boolean => existsSync(pathOf(server))

const buildLimitMs = 20 * 60_000

/** The path of a program, which the Go compiler builds on first use: minutes of processor time. */
export async function buildGoServer(run: Run, server: GoServer): Promise<string> {
  const built = pathOf(server)
  if (isBuilt(server)) return built
  const { name, module, version, program } = server
  const directory = dirname(built)
  if (!findProgram('go')) throw new Error(`No Go: install Go (go on the PATH) to build ${name}`)
  run.say(`${name} ${version}: building with Go, once`)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  await writeFile(
    join(directory, 'go.mod'),
    `module local/${name}\n\ngo 1.24\n\nrequire ${module} ${version}\n\ntool ${program}\n`,
  )
  const go = async (step: string, ...args: string[]) => {
    const env = { ...process.env, CGO_ENABLED: '0' }
    const child = await run.start({ name: `go-${name}-${step}`, command: 'go', args, cwd: directory, env })
    const limit = setTimeout(() => child.kill('SIGKILL'), buildLimitMs)
    const exit = await child.exited
    clearTimeout(limit)
    if (exit.code !== 0) throw new Error(`go ${args[0]} ended, ${describeExit(exit)}. It said:\n${child.tail()}`)
  }
  await go('tidy', 'mod', 'tidy')
  // No program of this name appears before it is complete.
  const flags = ['-buildvcs=false', '-trimpath', '-ldflags=-s -w']
  await go('build', 'build', ...flags, '-o', `${name}.unfinished`, program)
  await rename(`${built}.unfinished`, built)
  return built
}
