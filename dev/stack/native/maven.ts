import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { RunningProcess } from '../processes.ts'
import { describeExit } from '../processes.ts'
import type { Run } from '../run.ts'
import { javaEnvironment, requireMaven } from './programs.ts'

const DOWNLOADS = join(import.meta.dirname, '../../../.local/downloads')
const PROGRESS_MS = 5000

export interface Artifact {
  name: string
  version: string
  /** A file in this folder. */
  pom: string
  goal: 'copy-dependencies' | 'unpack-dependencies'
  settings?: readonly string[]
}

/** The folder of an artifact's files, which Maven fetches on first use. */
export async function download(run: Run, artifact: Artifact): Promise<string> {
  const folder = join(DOWNLOADS, `${artifact.name}-${artifact.version}`)
  if (!isComplete(folder)) await oneAtATime(() => fetchInto(folder, run, artifact))
  return folder
}

async function fetchInto(folder: string, run: Run, artifact: Artifact): Promise<void> {
  if (isComplete(folder)) return
  await requireMaven()
  const unfinished = join(run.directory, `${artifact.name}-${artifact.version}.unfinished`)
  await mkdir(unfinished, { recursive: true })
  await runMaven(run, artifact, unfinished)
  await writeFile(join(unfinished, '.complete'), '')
  await moveInto(folder, unfinished)
}

// Maven's local repository does not support concurrent writers.
const oneAtATime = pLimit(1)

async function runMaven(run: Run, artifact: Artifact, output: string): Promise<void> {
  const { name, version, pom, goal, settings = [] } = artifact
  run.say(`${name} ${version}: fetching with Maven, once`)
  const maven = await run.start({
    name: `mvn-${name}-${version}`,
    command: 'mvn',
    env: javaEnvironment(),
    args: [
      ...['-B', '-f', join(import.meta.dirname, pom), `dependency:${goal}`, '-DincludeScope=runtime'],
      ...[`-DoutputDirectory=${output}`, `-DmarkersDirectory=${join(run.directory, 'markers')}`, ...settings],
    ],
  })
  const progress = reportProgress(maven, (line) => run.say(`${name} ${version}: ${line}`))
  const exit = await Promise.race([maven.exited, progress])
  if (exit.code === 0) return
  throw new Error(`Maven could not fetch ${name} ${version}, ${describeExit(exit)}. It said:\n${maven.tail()}`)
}

async function reportProgress(maven: RunningProcess, say: (line: string) => void): Promise<never> {
  for (let passed = PROGRESS_MS; ; passed += PROGRESS_MS) {
    await sleep(PROGRESS_MS, undefined, { ref: false })
    if (maven.hasExited()) return new Promise(() => {})
    const files = maven.log().split('Downloaded from').length - 1
    say(`${files} new files after ${passed / 1_000} s`)
  }
}

/** Replaces an incomplete folder. Another process may have created the same folder in the meantime. */
async function moveInto(folder: string, finished: string): Promise<void> {
  await mkdir(DOWNLOADS, { recursive: true })
  if (existsSync(folder) && !isComplete(folder)) await rm(folder, { recursive: true, force: true })
  await rename(finished, folder).catch((error) => {
    if (!isComplete(folder)) throw error
  })
}

function isComplete(folder: string): boolean {
  return existsSync(join(folder, '.complete'))
}
