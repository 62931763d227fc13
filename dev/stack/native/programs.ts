import { execFile } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const OLDEST_JAVA = 17

/** The path of a command, if it is on the PATH. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** The java command that runs the servers. Throws one line that says what to install if there is none. */
export function requireJava(): Promise<string> {
  java ??= findJava()
  return java
}
let java: Promise<string> | undefined

/**
 * The environment of every Java program. Without a locale, as in most containers, Java takes file names as ASCII; a
 * property of the JVM cannot change that.
 */
export const javaEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C.UTF-8' })

/** Throws one line that says what to install if Maven cannot run here. */
export async function requireMaven(): Promise<void> {
  await requireJava()
  if (!findProgram('mvn')) throw new Error('No Maven: install Maven (mvn on the PATH), or Docker')
}

/** The java command of a JDK, compiler included, of at least this version; undefined if none is installed. */
export async function findJdk(oldest: number): Promise<string | undefined> {
  const { JAVA_HOME } = process.env
  const usual = JAVA_HOME ? join(JAVA_HOME, 'bin/javac') : findProgram('javac')
  for (const compiler of [...(usual ? [usual] : []), ...globSync('/usr/lib/jvm/*/bin/javac')].filter(isExecutable)) {
    const command = join(dirname(compiler), 'java')
    if (((await javaVersion(command)) ?? 0) >= oldest) return command
  }
  return undefined
}

async function findJava(): Promise<string> {
  // The same lookup as Maven's.
  const home = process.env.JAVA_HOME && join(process.env.JAVA_HOME, 'bin/java')
  const command = home && isExecutable(home) ? home : 'java'
  const version = await javaVersion(command)
  if (version === undefined) {
    throw new Error(`Neither Docker nor Java answers: install Docker, or a JDK ${OLDEST_JAVA} or later and Maven`)
  }
  if (version < OLDEST_JAVA) {
    throw new Error(`Java ${version} is too old: install a JDK ${OLDEST_JAVA} or later, or Docker`)
  }
  return command
}

async function javaVersion(command: string): Promise<number | undefined> {
  try {
    const { stderr } = await promisify(execFile)(command, ['-version'], { timeout: 20_000 })
    // "17.0.15", "25", and "1.8.0_402" before Java 9.
    const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(stderr) ?? []
    return Number(first === '1' ? second : first)
  } catch {
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
