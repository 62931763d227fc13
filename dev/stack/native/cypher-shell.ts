import { join } from 'node:path'
import type { Run } from '../run.ts'
import { download } from './maven.ts'
import { requireJava } from './programs.ts'

const CYPHER_SHELL = {
  name: 'cypher-shell',
  version: '5.26.30',
  pom: 'cypher-shell.pom.xml',
  goal: 'copy-dependencies',
} as const

/** The command that runs cypher-shell, and its first arguments. */
export async function cypherShell(run: Run): Promise<{ command: string; args: string[] }> {
  const command = await requireJava()
  const libraries = await download(run, CYPHER_SHELL)
  return { command, args: ['-cp', join(libraries, '*'), 'org.neo4j.shell.Main'] }
}
