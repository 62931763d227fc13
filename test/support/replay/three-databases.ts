import type { Driver } from 'neo4j-driver'
import { afterAll, inject } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'

/** The service's client, and the databases of the stack with a driver for each, closed after the file's tests. */
export function openThreeDatabases() {
  const { neo4j, target, legacy } = inject('stack') as Record<'neo4j' | 'target' | 'legacy', Neo4jAddress>
  const { apiUrl, tokens } = inject('service')
  const client = createClient(apiUrl, tokens.all as string)
  const drivers = new Map([neo4j, target, legacy].map((address) => [address, openDriver(address)]))
  const driverOf = (address: Neo4jAddress) => drivers.get(address) as Driver
  afterAll(() => Promise.all([...drivers.values()].map((driver) => driver.close())))
  return { neo4j, target, legacy, client, driverOf }
}
