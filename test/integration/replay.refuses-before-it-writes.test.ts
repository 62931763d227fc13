import { afterAll, describe, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, pairOf, partsWithManifest, replayed, sourceOf } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const [five, three] = [openDriver(target), openDriver(legacy)]
afterAll(() => Promise.all([five.close(), three.close()]))

const targets = [
  {
    name: 'Neo4j 5',
    address: target,
    driver: five,
    creates: (on: string, of: string) => `IF NOT EXISTS FOR ${on} REQUIRE ${of}`,
  },
  { name: 'Neo4j 3.5', address: legacy, driver: three, creates: (on: string, of: string) => `ON ${on} ASSERT ${of}` },
]

describe.each(targets)('$name', ({ address, driver, creates }) => {
  const label = uniqueName('Odd `L')
  const quoted = `\`${label.replaceAll('`', '``')}\``
  const source = sourceOf([
    {
      ...nodeUpsert('x', 'a'),
      statement: `MERGE (n:${quoted} {\`i\`\`d\`: $id}) SET n = {\`i\`\`d\`: $p_0}`,
      parameters: { id: 'a', p_0: 'a' },
    },
  ])
  const found = async () => (await run(driver, `MATCH (n:${quoted}) RETURN count(n)`))[0]?.[0]
  afterAll(() => run(driver, `MATCH (n:${quoted}) DETACH DELETE n`))

  test('a missing constraint is named, with the statement that creates it', async () => {
    const create = `CREATE CONSTRAINT ${creates(`(n:${quoted})`, 'n.`i``d` IS UNIQUE')}`
    await expect(replayed(source, address)).rejects.toMatchObject({
      kind: 'refused',
      message: `the target has no uniqueness constraint on :${label}(i\`d): replay would be slow and could make duplicates. Run: ${create}; or pass --create-constraints`,
    })
    expect(await found()).toBe(0n)
  })

  test('a constraint is not created over duplicates, the first of which are named', async () => {
    await run(driver, `CREATE (:${quoted} {\`i\`\`d\`: 'twice'}), (:${quoted} {\`i\`\`d\`: 'twice'})`)
    await expect(replayed(source, address, { createConstraints: true })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/^the uniqueness constraint on .* cannot be created: Both Node.* 'twice'/),
    })
    expect(await found()).toBe(2n)
    await run(driver, `MATCH (n:${quoted}) DELETE n`)
  })

  test('without constraints one lane is used; a constraint is created when asked for, and found afterwards', async () => {
    expect(await replayed(source, address, { withoutConstraints: true })).toMatchObject({ lanes: 1 })
    expect(await replayed(source, address, { createConstraints: true, lanes: 'auto' })).toMatchObject({ lanes: 4 })
    expect(await replayed(source, address)).toMatchObject({ rows: 1 })
    expect(await found()).toBe(1n)
  })

  test.each([
    ['another user', { user: 'nobody' }],
    ['a wrong password', { password: 'not-the-password' }],
  ])('%s is refused, and no message has the password', async (_what, changed) => {
    const failure = await replayed(source, address, {}, changed).catch((error) => error)
    expect(failure).toMatchObject({ name: 'ReplayError', kind: 'refused' })
    const told = `${failure.message} ${failure.stack} ${failure.cause?.message} ${JSON.stringify(failure)}`
    expect(told).not.toContain(address.password)
    expect(told).not.toContain('not-the-password')
  })

  test('a database that is not there is refused', async () => {
    await expect(replayed(source, address, {}, { database: 'nowhere' })).rejects.toMatchObject({ kind: 'refused' })
  })
})

test('a constraint on several properties is not enough', async () => {
  const label = uniqueName('Composite')
  await run(five, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE (n.id, n.other) IS UNIQUE`)
  await expect(replayed(sourceOf([nodeUpsert(label, 'a')]), target)).rejects.toMatchObject({ kind: 'refused' })
})

describe('a statement that this service does not write', () => {
  const label = uniqueName('Hostile')
  const count = async () => (await run(five, `MATCH (n:\`${label}\`) RETURN count(n)`))[0]?.[0]
  const many = (name: string) => Array.from({ length: 30 }, (_, index) => nodeUpsert(label, `${name}${index}`))
  const hostile = [
    pairOf(`CREATE (:\`${label}\`)`, {}),
    pairOf("LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN line", {}),
    pairOf('CALL dbms.listConfig()', {}),
    pairOf(`MERGE (n:\`${label}\` {\`id\u0060: 1}) DETACH DELETE n //\`: $id}) SET n = {}`, { id: 'a' }),
  ]
  afterAll(() => run(five, `MATCH (n:\`${label}\`) DETACH DELETE n`))

  test.each(hostile)(
    'a statement that this service does not write is refused before anything is written: $statement',
    async (pair) => {
      const source = sourceOf(many('a'), [...many('b'), pair])
      await expect(replayed(source, target, { createConstraints: true })).rejects.toMatchObject({
        kind: 'refused',
        message: 'part 2, pair 31: not a statement that this service writes',
      })
      expect(await count()).toBe(0n)
      expect(await run(five, 'SHOW CONSTRAINTS YIELD labelsOrTypes WHERE $label IN labelsOrTypes', { label })).toEqual(
        [],
      )
    },
  )

  test('with a manifest, a foreign statement of a later window is refused after earlier windows', async () => {
    const long = Array.from({ length: 9 }, (_, index) =>
      pairOf(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`text\`: $text}`, {
        id: index,
        text: 'x'.repeat(2_000_000),
      }),
    )
    const source = partsWithManifest([{ label, property: 'id' }], many('a'), long, [...many('c'), ...hostile])
    await expect(replayed(source, target, { createConstraints: true })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('part 3, pair 31: not a statement'),
    })
    expect(await count()).toBe(39n)
    await run(five, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  })
})
