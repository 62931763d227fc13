import { join } from 'node:path'
import { afterAll } from 'vitest'
import { startOldest } from '../../../dev/stack/native/neo4j.ts'
import { openRun } from '../../../dev/stack/run.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'

/** A Neo4j 3.4 for one test file, as it takes twelve seconds and 320 MB. */
export function openOldest(): Promise<Neo4jAddress> {
  const run = openRun(join(import.meta.dirname, '../../../.local/run'), console.error)
  afterAll(() => run.stop())
  return startOldest(run)
}
