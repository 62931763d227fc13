import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

const folder = join(import.meta.dirname, '../../.local/stores')

/** The path of a program, which the Go compiler builds on first use: minutes of processor time. */
export async function buildGoServer(run: Run, { name, module, version, program }: GoServer): Promise<string> {
  const directory = join(folder, `${name}-${version}`)
  const built = join(directory, name)
  if (existsSync(built)) return built
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
    const exit = await child.exited
    if (exit.code !== 0) throw new Error(`go ${args[0]} ended, ${describeExit(exit)}. It said:\n${child.tail()}`)
  }
  await go('tidy', 'mod', 'tidy')
  // No program of this name appears before it is complete.
  const flags = ['-buildvcs=false', '-trimpath', '-ldflags=-s -w']
  await go('build', 'build', ...flags, '-o', `${name}.unfinished`, program)
  await rename(`${built}.unfinished`, built)
  return built
}
