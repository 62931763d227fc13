import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'
import { pairOf, replayed, sourceOf, undone } from '../support/replay/replaying.ts'

const { target } = inject('stack') as { target: Neo4jAddress }
const { client, org, packets, to } = await prepareReplay(1)
const driver = openDriver(target)
const label = uniqueName('Order')
const [product, loose] = [`${label}Product`, `${label}Loose`]
let directory = ''

const mappedIndices = { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'id', [product]: 'key', [loose]: 'key' }
const before = `(:${label} {id: '1'})-[:ORDERS {q: 1}]->(:${product} {key: 'p'})`

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'undo-')), 'undo')
  for (const [name, property] of [
    [label, 'id'],
    [product, 'key'],
  ])
    await run(driver, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${name}\`) REQUIRE n.\`${property}\` IS UNIQUE`)
})
afterEach(async () => {
  await run(driver, `MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH '${label}') DETACH DELETE n`)
  await rm(join(directory, '..'), { recursive: true })
})
afterAll(() => driver.close())

const found = () =>
  run(driver, `MATCH (a:\`${label}\`)-[r:ORDERS]->(b) RETURN a.id, r.q, labels(b), properties(b)`).then((rows) =>
    JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )

const statement = `MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`ORDERS\`]->() DELETE r`
const cleanup = { ...pairOf(statement, { baseId: '1' }), metadata: { qa: { mappedIndices } } }

test('an undo names the ends that only mappedIndices identify', async () => {
  await run(driver, `CREATE ${before}`)
  const whole = await found()
  await replayed(sourceOf([cleanup]), target, { undoDirectory: directory })
  expect(await found()).toBe('[]')
  await undone(directory, target)
  expect(await found()).toBe(whole)
})

test('an identity of mappedIndices without a constraint is no identity', async () => {
  await run(driver, `CREATE (:${label} {id: '1'})-[:ORDERS {q: 1}]->(:${loose} {key: 'p'})`)
  const message = expect.stringContaining('no identity that the packet could name, or no uniqueness constraint on it')
  await expect(replayed(sourceOf([cleanup]), target, { undoDirectory: directory })).rejects.toMatchObject({ message })
})

test('the undo of a node delete restores relationships to nodes of other labels', async () => {
  await run(driver, `CREATE ${before}`)
  const whole = await found()
  const deletion = { mappedIndices, index: label, originIds: ['1'], fileName: 'd.json', parameterSyntax: 'dollar' }
  expect(await client.post(`/1.0/publish/${org}/delete`, deletion)).toMatchObject({ status: 200 })
  const state = ['--state', `${directory}.state`]
  const words = ['replay', `${org}/d.json`, ...to, '--undo', directory, ...state, '--progress', 'none']
  expect(await packets(words)).toMatchObject({ code: 0, stderr: '' })
  expect(await found()).toBe('[]')
  await undone(directory, target)
  expect(await found()).toBe(whole)
})
