import type { Driver } from 'neo4j-driver'
import { run } from './replay/neo4j.ts'
import { isGiven } from './stack/given.ts'

/**
 * Whether a command may write to a database: if it started the database itself, if the database has no nodes, or if the
 * person has named it by an option.
 */
export async function mayWrite(driver: Driver, database: 'NEO4J' | 'NEO4J_TARGET', isNamed: boolean): Promise<boolean> {
  return isNamed || !isGiven(database) || (await hasNoNodes(driver))
}

export async function hasNoNodes(driver: Driver): Promise<boolean> {
  const nodes = await run(driver, 'MATCH (n) RETURN 1 LIMIT 1')
  return nodes.length === 0
}
