import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, pairOf, replayed, sourceOf, verified } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const targets = [
  { name: 'Neo4j 5', address: target, driver: openDriver(target) },
  { name: 'Neo4j 3.5', address: legacy, driver: openDriver(legacy) },
]
afterAll(() => Promise.all(targets.map(({ driver }) => driver.close())))

test.each([
  ['1', 'packet 1 (integer), target 1.0 (float)', 1n, '1.0'],
  ['1.0', 'packet 1.0 (float), target 1 (integer)', 1.5, '1'],
  ["'1'", 'packet "1" (string), target 1 (integer)', '1', '1'],
  ['a list', 'packet [1] (list), target 1 (integer)', [1n], '1'],
  ['a list of integers', 'packet [1, 2] (list), target [1.0, 2.0] (list)', [1n, 2n], '[1.0, 2.0]'],
  ['an empty list', 'packet [] (list), target none', [], 'null'],
  ['0.0', 'packet 0.5 (float), target -0.0 (float)', 0.5, '-0.0'],
  ['true', 'packet true (boolean), target "true" (string)', true, "'true'"],
])('the difference of %s is described: %s', async (_what, text, value, changed) => {
  const label = uniqueName('Value')
  const upsert = `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`v\`: $v}`
  const source = sourceOf([pairOf(upsert, { id: 'a', v: value === 1.5 ? 1 : value })])
  const { address, driver } = targets[0] as (typeof targets)[number]
  await replayed(source, address, { createConstraints: true })
  expect(await verified(source, address)).toMatchObject({ differing: 0 })
  await run(driver, `MATCH (n:\`${label}\`) SET n.v = ${changed}`)
  const { first } = await verified(source, address)
  expect(first).toEqual([{ part: 1, pair: 1, kind: 'propertyDiffers', text: `:${label}(id=a).v: ${text}` }])
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
})

test.each(targets)('a node whose id has another type is reported: $name', async ({ address, driver }) => {
  const label = uniqueName('Id')
  const source = sourceOf([nodeUpsert(label, 5n)])
  await replayed(source, address, { createConstraints: true })
  await run(driver, `MATCH (n:\`${label}\`) SET n.id = 5.0`)
  const { first } = await verified(source, address)
  expect(first.map(({ text }) => text)).toEqual([`:${label}(id=5).id: packet 5 (integer), target 5.0 (float)`])
  await run(driver, `MATCH (n:\`${label}\`) DELETE n`)
})

test.each(targets)(
  'a value that the target keeps because it treats the new one as equal is reported: $name',
  async (at) => {
    const label = uniqueName('Kept')
    const both = "datetime('2020-10-25T02:30:00+0%:00[Europe/Berlin]')"
    const [first, second] = ['1', '2'].map((offset) => both.replace('%', offset))
    const upsert = `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`at\`: datetime($at), \`id\`: $id, \`v\`: $v}`
    const at1 = (first as string).slice(10, -2)
    const source = sourceOf([pairOf(upsert, { id: 'a', v: -0.0, at: at1 })])
    await run(at.driver, `CREATE (:\`${label}\` {id: 'a', v: 0.0, at: ${second}})`)
    await replayed(source, at.address, { createConstraints: true })
    const { first: found } = await verified(source, at.address)
    expect(found.map(({ text }) => text.slice(0, text.indexOf(':', 9)))).toEqual([
      `:${label}(id=a).at`,
      `:${label}(id=a).v`,
    ])
    await run(at.driver, `MATCH (n:\`${label}\`) DELETE n`)
  },
)
