import { beforeEach, expect, inject, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { prepareCopies } from '../../support/clients/cli-copy.ts'
import { forward, startFakeService } from '../../support/servers/fake-service.ts'

const prepared = await prepareCopies(300)
const { label, driver: origin, target, clearTarget, differing, publish, prepareCopy, obstruct, makeWay } = prepared
beforeEach(clearTarget)

const nowhere = { Nowhere: 'id', DEFAULT_INDEX: 'Nowhere', DEFAULT_ID_FIELD: 'id' }

async function constraintName() {
  const query =
    "SHOW CONSTRAINTS YIELD name, labelsOrTypes, properties WHERE $label IN labelsOrTypes AND 'id' IN properties RETURN name"
  return (await run(target, query, { label }))[0]?.[0] as string | undefined
}

async function dropConstraint() {
  const name = await constraintName()
  if (name !== undefined) await run(target, `DROP CONSTRAINT \`${name}\``)
}

test('nothing is published for a target that cannot be reached or written', async () => {
  const { copy, remembered, made } = prepareCopy('unwanted.json')
  const away = await copy(['--to', 'bolt://127.0.0.1:9'])
  expect(away).toMatchObject({ code: 6, stderr: expect.stringContaining('the target cannot be reached') })
  const refused = await copy(['--user', 'nobody'])
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('the target cannot be written') })
  expect(await made()).toBe(0)
  expect(remembered).toThrow('ENOENT')
})

test.each([
  ['lacks the constraint', [], () => Promise.resolve(), /no uniqueness constraint/],
  [
    'has a plain index in its place',
    ['--create-constraints'],
    () => run(target, `CREATE INDEX \`${label}-plain\` FOR (n:\`${label}\`) ON (n.id)`),
    /cannot be created .* Run: DROP INDEX/,
  ],
  [
    'has two nodes of one id',
    ['--create-constraints'],
    () => run(target, `CREATE (:\`${label}\` {id: 'twice'}), (:\`${label}\` {id: 'twice'})`),
    /cannot be created: Both Node/,
  ],
] as const)('nothing is published for a target that %s', async (_what, words, arrange, message) => {
  const { copy, made } = prepareCopy('not-published.json')
  await dropConstraint()
  await arrange()
  const refused = await copy([...words, '--progress', 'none'])
  expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(message) })
  expect(await made()).toBe(0)
  await run(target, `DROP INDEX \`${label}-plain\` IF EXISTS`)
})

test('if the replay ends early, the same command continues with the packet that it has published', async () => {
  const { copy, remembered, made } = prepareCopy('continued.json')
  await obstruct()
  expect(await copy(['--create-constraints'])).toMatchObject({ code: 6, stdout: '' })
  const names = remembered().filter((name) => name.endsWith('.copy'))
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.copy$/)])
  await makeWay()
  expect(await copy([])).toMatchObject({ code: 0 })
  expect(await differing()).toEqual([])
  expect(remembered()).toEqual([])
  expect(await made()).toBe(1)
})

test.each([
  [503, 0, /^$/],
  [401, 7, /^(?!.*restart).*401/m],
])('a manifest that is refused once with %i does not make the copy start over', async (status, code, message) => {
  const { copy, made } = prepareCopy(`refused-${status}.json`)
  let isRefused = false
  const { url } = await startFakeService((asked) => {
    if (isRefused || !asked.url.includes('/manifest')) return forward(inject('service').apiUrl, asked)
    isRefused = true
    return { status, body: { title: 'Refused', status, detail: 'once' } }
  })
  const proxied = await copy(['--create-constraints', '--progress', 'none', '--url', url])
  expect(proxied).toMatchObject({ code, stderr: expect.stringMatching(message) })
  if (code !== 0) expect(await copy(['--progress', 'none', '--url', url])).toMatchObject({ code: 0 })
  expect([isRefused, await differing(), await made()]).toEqual([true, [], 1])
})

test('a packet that was replaced since is not replayed, nor is one that other credentials have made', async () => {
  const { copy, rewrite } = prepareCopy('replaced.json')
  const refused = async (message: RegExp) =>
    expect(await copy(['--progress', 'none'])).toMatchObject({ code: 7, stderr: expect.stringMatching(message) })
  await obstruct()
  expect(await copy(['--create-constraints', '--progress', 'none'])).toMatchObject({ code: 6 })
  rewrite({ credentials: `Basic ${btoa('other:credentials')}` })
  await refused(/422 .*; pass --restart to start over\n$/)
  // Another 422, which a new key would not change.
  rewrite({ dbUrl: 'bolt://192.0.2.1:7687', fileName: 'nowhere.json' })
  await refused(/422 .*dbUrl: .*(?<!over)\n$/)
  rewrite({})
  await publish('replaced.json')
  await refused(/replaced\.json was replaced after the job \S+ had made it; pass --restart to start over\n$/)
  await makeWay()
  expect(await copy(['--restart', '--force', '--create-constraints', '--progress', 'none'])).toMatchObject({ code: 0 })
})

test('a target that differs after the replay is exit code 3', async () => {
  const { copy } = prepareCopy('differs.json')
  // Neo4j keeps 0.0 where -0.0 is replayed.
  const name = await constraintName()
  await run(target, `CREATE (:\`${label}\` {id: 'p1', zero: 0.0})`)
  await run(origin, `MATCH (n:\`${label}\` {id: 'p1'}) SET n.zero = -0.0`)
  const { code, stdout } = await copy(name === undefined ? ['--create-constraints'] : [])
  expect({ code, stdout }).toMatchObject({
    code: 3,
    stdout: expect.stringContaining(`:${label}(id=p1).zero: packet -0.0 (float), target 0.0 (float)`),
  })
  await run(origin, `MATCH (n:\`${label}\` {id: 'p1'}) REMOVE n.zero`)
})

test('a job that fails is exit code 7, and the same command publishes again', async () => {
  const { copy, remembered, made } = prepareCopy('failed.json', { index: 'Nowhere', mappedIndices: nowhere })
  const failed = expect.stringMatching(/^error: the job \S+ failed: .*Nowhere/m)
  for (const times of [1, 2]) {
    expect(await copy(['--progress', 'none'])).toMatchObject({ code: 7, stderr: failed })
    expect(remembered()).toEqual([])
    expect(await made()).toBe(times)
  }
})
