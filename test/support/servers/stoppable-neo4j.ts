import { inject } from 'vitest'
import { type StoppableNeo4j, startStoppable } from '../../../dev/stack/native/neo4j.ts'
import { openRun } from '../../../dev/stack/run.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { startProxy } from './tcp-proxy.ts'

/**
 * A database that a test may stop and start: its own process where the stack runs as processes, otherwise the stack's
 * second database behind a proxy that can be stopped.
 */
export async function openStoppable(directory: string): Promise<StoppableNeo4j & { close(): Promise<void> }> {
  const { neo4j, target } = inject('stack')
  if (neo4j.pid !== null) {
    const run = openRun(directory, console.error)
    const database = await startStoppable(run).catch(async (error) => {
      await run.stop()
      throw error
    })
    return { ...database, close: () => run.stop() }
  }
  const { boltUrl, stop, start } = await startProxy((target as Neo4jAddress).boltUrl)
  return { address: { ...(target as Neo4jAddress), boltUrl }, stop, start, close: stop }
}
