import { join } from 'node:path'
import { afterAll } from 'vitest'
import { startVersion } from '../../../dev/stack/native/neo4j.ts'
import { withDriver } from '../../../dev/stack/ready.ts'
import { openRun } from '../../../dev/stack/run.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { startArcadeDb } from './arcadedb.ts'

/**
 * A server for one test file, as it takes ten seconds and 320 to 600 MB: `arcadedb`, or a version of Neo4j. Undefined,
 * with a message, if it needs a JDK 21 with Maven and there is none: the file then skips its tests.
 */
export async function openDatabase(server: string): Promise<Neo4jAddress | undefined> {
  const run = openRun(join(import.meta.dirname, '../../../.local/run'), console.error)
  afterAll(() => run.stop())
  const address = await (server === 'arcadedb' ? startArcadeDb(run) : startVersion(run, server))
  if (address === undefined) console.error(`Not run on ${server}: no JDK 21 or later with Maven was found`)
  return address
}

/** The language of queries that name none. */
export async function setLanguage(address: Neo4jAddress, language: 'CYPHER 5' | 'CYPHER 25'): Promise<void> {
  await withDriver(address, async (driver) => {
    const session = driver.session({ database: 'system' })
    await session.run(`ALTER DATABASE neo4j SET DEFAULT LANGUAGE ${language}`).finally(() => session.close())
  })
}
