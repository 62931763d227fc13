import { afterAll, expect, inject, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { openManagerDatabase } from '../../shared/manager/database.ts'
import { DuplicateError } from '../../shared/manager/failures.ts'

const { neo4j, legacy } = inject('stack') as { neo4j: Neo4jAddress; legacy: Neo4jAddress }

test.each([
  { server: 'Neo4j 5', address: neo4j },
  { server: 'Neo4j 3.5', address: legacy },
])('a taken id is replaced by another, once, on $server', async ({ address }) => {
  const { boltUrl: url, username: user, password } = address
  const database = openManagerDatabase({ url, user, password }, { warn() {} })
  afterAll(() => database.close())
  const by = uniqueName('user')
  // Above the 48 bits of real ids.
  const taken = 2n ** 50n + BigInt(Date.now())
  const ids = [taken, taken, taken + 1n]
  const create = () => ({
    query: 'CREATE (n:GraphPacketsRecord {id: $id, grn: $grn, createdBy: $by}) RETURN n.id',
    parameters: { id: ids.shift(), grn: uniqueName('grn'), by },
  })
  try {
    expect(await database.write(create)).toEqual([[Number(taken)]])
    expect(await database.write(create)).toEqual([[Number(taken + 1n)]])
    const statement = vi.fn(() => ({ ...create(), parameters: { id: taken, grn: uniqueName('grn'), by } }))
    await expect(database.write(statement)).rejects.toBeInstanceOf(DuplicateError)
    expect(statement).toHaveBeenCalledTimes(2)
  } finally {
    const query = 'MATCH (n:GraphPacketsRecord {createdBy: $by}) DELETE n'
    await database.write(() => ({ query, parameters: { by } }))
  }
})
