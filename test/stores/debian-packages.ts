import { existsSync, globSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram } from '../../dev/stack/native/programs.ts'
import { describeExit } from '../../dev/stack/processes.ts'
import type { Run } from '../../dev/stack/run.ts'

/** A folder with the files of Debian packages, which apt-get downloads on first use. Nothing is installed. */
export async function unpackDebian(run: Run, name: string, packages: readonly string[]): Promise<string> {
  const directory = join(import.meta.dirname, '../../.local/stores', name)
  if (existsSync(directory)) return directory
  for (const program of ['apt-get', 'dpkg']) {
    if (!findProgram(program)) throw new Error(`No ${program}: run this on Debian 12`)
  }
  run.say(`${name}: downloading ${packages.length} packages of Debian, once`)
  const unfinished = `${directory}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(join(unfinished, 'packages'), { recursive: true })
  const must = async (step: string, command: string, ...args: string[]) => {
    const child = await run.start({ name: `${name}-${step}`, command, args, cwd: join(unfinished, 'packages') })
    const exit = await child.exited
    if (exit.code !== 0) throw new Error(`${command} ended, ${describeExit(exit)}. It said:\n${child.tail()}`)
  }
  await must('download', 'apt-get', 'download', ...packages)
  for (const file of globSync(join(unfinished, 'packages/*.deb'))) await must('unpack', 'dpkg', '-x', file, unfinished)
  await rm(join(unfinished, 'packages'), { recursive: true })
  await rename(unfinished, directory)
  return directory
}
