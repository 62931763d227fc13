import { afterAll, expect, inject, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { openManagerDatabase } from '../../shared/models/database.ts'
import { DuplicateError } from '../../shared/models/failures.ts'

const { neo4j, legacy } = inject('stack') as { neo4j: Neo4jAddress; legacy: Neo4jAddress }

test.each([
  { server: 'Neo4j 5', address: neo4j },
  { server: 'Neo4j 3.5', address: legacy },
])('a taken id is replaced by another, once, on $server', async ({ address }) => {
  const { boltUrl: url, username: user, password } = address
  const outcomes: string[] = []
  const database = openManagerDatabase({ url, user, password }, { warn() {} }, (_, outcome) => outcomes.push(outcome))
  afterAll(() => database.close())
  const by = uniqueName('user')
  // Above the 48 bits of real ids.
  const taken = 2n ** 50n + BigInt(Date.now())
  const create = (id: bigint) => ({
    query: 'CREATE (n:GraphPacketsRecord {id: $id, grn: $grn, createdBy: $by}) RETURN n.id',
    parameters: { id, grn: uniqueName('grn'), by },
  })
  try {
    expect(await database.write(() => create(taken))).toEqual([[Number(taken)]])
    // After a pause it creates its constraints again, which Neo4j 3.5 refuses.
    vi.useFakeTimers({ toFake: ['Date'] })
    // Constraints of other tests make it try again as well, but are not refusals.
    const before = outcomes.length
    const refusals = () => outcomes.slice(before).filter((outcome) => outcome === 'refused').length
    expect(await database.write(() => create(taken + BigInt(refusals())))).toEqual([[Number(taken + 1n)]])
    expect(refusals()).toBe(1)
    await expect(database.write(() => create(taken))).rejects.toBeInstanceOf(DuplicateError)
    expect(refusals()).toBe(3)
  } finally {
    vi.useRealTimers()
    const query = 'MATCH (n:GraphPacketsRecord {createdBy: $by}) DELETE n'
    await database.write(() => ({ query, parameters: { by } }))
  }
})
