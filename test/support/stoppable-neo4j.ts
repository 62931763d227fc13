import { afterAll, inject } from 'vitest'
import { type StoppableNeo4j, startStoppable } from '../stack/native/neo4j.ts'
import { openRun } from '../stack/run.ts'
import type { Neo4jAddress } from '../stack/stack.ts'
import { startProxy } from './tcp-proxy.ts'

/**
 * A database that a test may stop and start: a process of its own where the stack's are processes, otherwise the stack's
 * second database behind a proxy that can be away.
 */
export async function openStoppable(directory: string): Promise<StoppableNeo4j> {
  const { neo4j, target } = inject('stack')
  if (neo4j.pid !== null) {
    const run = openRun(directory, console.error)
    afterAll(() => run.stop())
    return startStoppable(run)
  }
  const proxy = await startProxy((target as Neo4jAddress).boltUrl)
  afterAll(() => proxy.stop())
  return { address: { ...(target as Neo4jAddress), boltUrl: proxy.boltUrl }, stop: proxy.stop, start: proxy.start }
}
