import { afterAll, expect, inject, test } from 'vitest'
import { dryRun } from '../../client/replay/verify/verify.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, replayed, sourceOf, targetOf, verified } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const name = uniqueName('index')
const targets = [
  {
    version: 'Neo4j 5',
    address: target,
    driver: openDriver(target),
    index: (label: string) => `CREATE INDEX \`${name} of ${label}\` FOR (n:${label}) ON (n.id)`,
    drop: (label: string) => `DROP INDEX \`${name} of ${label}\``,
    constraint: (label: string) => `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.\`id\` IS UNIQUE`,
  },
  {
    version: 'Neo4j 3.5',
    address: legacy,
    driver: openDriver(legacy),
    index: (label: string) => `CREATE INDEX ON :${label}(id)`,
    drop: (label: string) => `DROP INDEX ON :\`${label}\`(\`id\`)`,
    constraint: (label: string) => `CREATE CONSTRAINT ON (n:\`${label}\`) ASSERT n.\`id\` IS UNIQUE`,
  },
]
afterAll(() => Promise.all(targets.map(({ driver }) => driver.close())))

const comparison = { lanes: 'auto', batchRows: 1_000, sample: 1, mostShown: 20 } as const
const { signal } = new AbortController()

test.each(targets)(
  'a plain index in the way of a constraint is named before anything is written, by dry run, replay and hint: $version',
  async ({ address, driver, index, drop, constraint }) => {
    const label = uniqueName('Indexed')
    const source = sourceOf([nodeUpsert(label, 'a')])
    await run(driver, index(label))
    const refused = {
      kind: 'refused',
      message: `the uniqueness constraint on :${label}(id) cannot be created while a plain index is there. Run: ${drop(label)}`,
    }
    const options = { ...comparison, signal, createConstraints: true }
    await expect(dryRun(source, targetOf(address), options)).rejects.toMatchObject(refused)
    await expect(replayed(source, address, { createConstraints: true })).rejects.toMatchObject(refused)
    const hint = `Run: ${drop(label)}; ${constraint(label)}; or run only ${drop(label)} and pass --create-constraints`
    await expect(replayed(source, address)).rejects.toMatchObject({ message: expect.stringContaining(hint) })
    for (const query of [drop(label), constraint(label)]) await run(driver, query)
    await replayed(source, address)
    expect(await verified(source, address)).toMatchObject({ differing: 0 })
    await run(driver, `MATCH (n:${label}) DELETE n`)
  },
)

test('an index of texts is not in the way', async () => {
  const [{ address, driver }] = targets as [(typeof targets)[number]]
  const label = uniqueName('Text')
  await run(driver, `CREATE TEXT INDEX FOR (n:${label}) ON (n.id)`)
  await replayed(sourceOf([nodeUpsert(label, 'a')]), address, { createConstraints: true })
  await run(driver, `MATCH (n:${label}) DELETE n`)
})

test('the reason why a constraint cannot be created is shown, not only its first line', async () => {
  const [{ address, driver }] = targets as [(typeof targets)[number]]
  const label = uniqueName('Long')
  await run(driver, `CREATE (:${label} {id: $id})`, { id: 'x'.repeat(9_000) })
  await expect(
    replayed(sourceOf([nodeUpsert(label, 'a')]), address, { createConstraints: true }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(
      /cannot be created: .*Unable to create.*: Property value is too large to index, .*9011/,
    ),
  })
  await run(driver, `MATCH (n:${label}) DELETE n`)
})
