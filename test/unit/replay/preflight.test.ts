import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { createMissing, preflight, preflightRead } from '../../../client/replay/preflight/preflight.ts'
import type { Connection } from '../../../client/replay/run/connection.ts'
import { knownQuery } from '../../../packet/read-back/known-answers.ts'
import { databaseError } from './fake-connection.ts'

// The driver does not declare it.
const { ProtocolVersion } = neo4j as unknown as { ProtocolVersion: new (major: number, minor: number) => object }
const { signal } = new AbortController()
const needed = [{ label: 'Person', property: 'id' }]
const settings = { createConstraints: true, withoutConstraints: false }

/** A target without constraints, where queries that begin so fail with these codes one after the other. */
function failing(
  begin: string,
  codes: string[],
  protocolVersion = new ProtocolVersion(3, 0),
  answer = knownAnswer,
): { connection: Connection; asked: string[] } {
  const asked: string[] = []
  async function run(query: string) {
    if (query === knownQuery) return { records: [{ values: () => answer }] }
    asked.push(query)
    const code = query.startsWith(begin) ? codes.shift() : undefined
    if (code !== undefined) throw databaseError(code)
    return { records: [], summary: { server: { protocolVersion } } }
  }
  const session = () => ({ run, async close() {}, beginTransaction: async () => ({ run, async close() {} }) })
  return { connection: { session, async close() {} } as unknown as Connection, asked }
}

const knownAnswer: unknown[] = [
  ...[null, new neo4j.types.Point(4326n, 1.5, 2.5), 7n, [1n, 'two', null], { a: 7n }],
  [{ a: 7n, z: null }, true],
]

const prepare = async (connection: Connection, of = needed) =>
  createMissing(connection, await preflight(connection, of, settings, signal), signal)

const changed = 'Neo.TransientError.Transaction.ConstraintsChanged'

test.each(['CREATE ()', 'CALL db.constraints', 'CREATE CONSTRAINT'])(
  '%s is repeated if another transaction interfered',
  async (begin) => {
    const { connection, asked } = failing(begin, [changed, changed])
    await prepare(connection)
    expect(asked.filter((query) => query.startsWith(begin))).toHaveLength(3)
  },
)

test('a target that sends one null too many after a point is refused before anything is written', async () => {
  const [none, point, ...others] = knownAnswer
  const { connection, asked } = failing('', [], undefined, [none, point, null, ...others])
  await expect(prepare(connection)).rejects.toMatchObject({
    kind: 'refused',
    message: 'the target cannot be used, because it answers wrongly: the value after a point',
  })
  await expect(preflightRead(connection, needed, signal)).rejects.toMatchObject({ kind: 'refused' })
  expect(asked).toEqual([])
})

test('a constraint that cannot be created after nine attempts is named', async () => {
  const { connection, asked } = failing('CREATE CONSTRAINT', Array(20).fill(changed))
  await expect(prepare(connection)).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(`:Person(id) cannot be created: ${changed}`),
  })
  expect(asked.filter((query) => query.startsWith('CREATE CONSTRAINT'))).toHaveLength(9)
})

test('a target that refuses its own bookmarks gets no further ones', async () => {
  const { connection, asked } = failing('CALL db.constraints', ['Neo.ClientError.Transaction.InvalidBookmark'])
  let forgotten = 0
  await prepare({ ...connection, forgetBookmarks: () => void forgotten++ })
  expect([forgotten, asked.filter((query) => query.startsWith('CALL db.constraints'))]).toEqual([
    1,
    Array(2).fill('CALL db.constraints()'),
  ])
})

test('a target that is away is not waited for', async () => {
  const { connection, asked } = failing('CREATE ()', ['ServiceUnavailable', 'ServiceUnavailable'])
  await expect(preflight(connection, needed, settings, signal)).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('cannot be reached'),
  })
  expect(asked).toEqual(['CREATE ()'])
})

test('the checks create no constraints; if one cannot be created, the ones created before it are named', async () => {
  const { connection, asked } = failing('CREATE CONSTRAINT ON (n:`Town`)', [
    'Neo.DatabaseError.Schema.ConstraintCreationFailed',
  ])
  const all = ['City', 'Person', 'Town', 'Way'].map((label) => ({ label, property: 'id' }))
  await preflight(connection, all, settings, signal)
  expect(asked.filter((query) => query.startsWith('CREATE CONSTRAINT'))).toEqual([])
  await expect(prepare(connection, all)).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/:Town\(id\) cannot be created: .*; created before it: :City\(id\), :Person\(id\)$/),
  })
})

test.each([
  [3, 0, 'ON (n:`Person`) ASSERT'],
  [4, 2, 'ON (n:`Person`) ASSERT'],
  [4, 3, 'ON (n:`Person`) ASSERT'],
  [4, 4, 'IF NOT EXISTS FOR (n:`Person`) REQUIRE'],
  [5, 0, 'IF NOT EXISTS FOR (n:`Person`) REQUIRE'],
])("a server of Bolt %i.%i gets statements of its own syntax, by the driver's own version object", async (...of) => {
  const [major, minor, words] = of
  const { connection, asked } = failing('none', [], new ProtocolVersion(major, minor))
  await prepare(connection)
  expect(asked.at(-1)).toContain(`CREATE CONSTRAINT ${words}`)
})
