import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { emptyDirectory, runCli } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'
import { listenOn } from '../support/origins/hostile-origins.ts'

const { org, label, target, clearTarget, publish, packets, replay, to, variables, address, count } =
  await prepareReplay(40)
await publish('people.json')
const all = `${org}/people.json`
const verify = (...words: string[]) => packets(['verify', all, ...to, ...words])

beforeEach(async () => {
  await clearTarget()
  expect(await replay(all, '--create-constraints', '--restart')).toMatchObject({ code: 0 })
})

test('verify of a target that agrees is exit code 0, and prints one line', async () => {
  const { code, stdout, stderr } = await verify()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    new RegExp(`^${all}: the target agrees; 120 pairs compared in [\\d.]+ s \\([\\d,]+ pairs/s\\)\n$`),
  )
})

test('verify of a target that differs is exit code 3, counts differences by kind and describes the first', async () => {
  await run(target, `MATCH (n:\`${label}\` {id: 'p1'}) DETACH DELETE n`)
  await run(target, `MATCH (n:\`${label}\` {id: 'p2'}) SET n.more = 1.0`)
  const { code, stdout, stderr } = await verify('--max-differences', '1')
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
  const [first = '', ...rest] = stdout.split('\n')
  expect(first).toMatch(new RegExp(`^${all}: 4 pairs differ; 120 pairs compared in `))
  expect(rest).toEqual([
    '  missing nodes: 1',
    '  extra properties: 1',
    '  missing relationships: 2',
    expect.stringMatching(/^part 1, pair \d+: /),
    'and 3 differences more',
    '',
  ])
  const { stdout: json } = await verify('--json')
  expect(JSON.parse(json)).toMatchObject({
    source: all,
    target: address.boltUrl,
    isEqual: false,
    differing: 4,
    missingConstraints: [],
    differences: { missingNode: 1, extraProperty: 1, missingRelationship: 2, propertyDiffers: 0 },
    first: expect.arrayContaining([
      { part: 1, pair: expect.any(Number), kind: 'missingNode', text: `:${label}(id=p1) is missing` },
      { part: 1, pair: expect.any(Number), kind: 'extraProperty', text: expect.stringContaining('target 1.0 (float)') },
    ]),
  })
})

test('a picture shows where a target differs', async () => {
  const [file, agreeing] = ['differences.mmd', 'none.mmd'].map((name) => join(emptyDirectory(), name)) as [
    string,
    string,
  ]
  expect(await verify('--picture', agreeing)).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(agreeing, 'utf8')).toBe(`flowchart LR\n  accTitle: ${mermaid(`${all}: the target agrees`)}\n`)
  await run(target, `MATCH (n:\`${label}\` {id: 'p1'}) DETACH DELETE n`)
  await run(target, `MATCH (a:\`${label}\` {id: 'p7'}), (b:\`${label}\` {id: 'p9'}) CREATE (a)-[:KNOWS]->(b)`)
  expect(await verify('--picture', file)).toMatchObject({ code: 3, stderr: '' })
  expect(readFileSync(file, 'utf8').split('\n').slice(2)).toEqual([
    `  n1("${label}<br>KNOWS#58; nodes with stale relationships #215; 2<br>missing nodes #215; 1")`,
    '  n1 -- "KNOWS#58; missing relationships #215; 2" --> n1',
    '  classDef marked stroke:#b3261e,stroke-dasharray:5 3',
    '  class n1 marked',
    '',
  ])
})

test('verify --sample compares only some of the pairs', async () => {
  const { code, stdout } = await verify('--sample', '0.5', '--json')
  const counted = Object.values(JSON.parse(stdout).pairs as Record<string, number>).reduce((sum, one) => sum + one, 0)
  expect({ code, isPart: counted > 0 && counted < 120 }).toEqual({ code: 0, isPart: true })
  expect(JSON.parse(stdout)).toMatchObject({ isEqual: null, sample: 0.5 })
  expect((await verify('--sample', '0.5')).stdout).toMatch(/: no difference found; \d+ pairs, a sample, compared in /)
  expect((await verify('--sample', '0.0000000001')).stdout).toContain(': nothing was compared; 0 pairs, a sample, ')
})

test('an unreachable target is exit code 6, and a wrong password is exit code 4', async () => {
  const away = await packets(['verify', all, '--to', 'bolt://127.0.0.1:9', '--user', 'neo4j'])
  expect(away).toMatchObject({ code: 6, stderr: expect.stringContaining('the target cannot be reached') })
  const wrong = await runCli(['verify', all, ...to], { ...variables, PACKETS_TARGET_PASSWORD: 'wrong' })
  expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('the target cannot be read') })
})

test('a target that speaks no common version of Bolt is exit code 4, and is told at once', async () => {
  const { port } = await listenOn('127.0.0.1', (socket) => void socket.once('data', () => socket.end(Buffer.alloc(4))))
  const spoken = 'the server does not speak Bolt 1, 2, 3, 4.2 to 4.4, 5.0 to 5.8, 6.0 or 6.1'
  for (const scheme of ['bolt', 'neo4j']) {
    const target = ['--to', `${scheme}://127.0.0.1:${port}`, '--user', 'neo4j']
    const outcomes = await Promise.all([packets(['verify', all, ...target]), packets(['replay', all, ...target])])
    expect(outcomes.map(({ code, stderr }) => [scheme, code, stderr.trim()])).toEqual([
      [scheme, 4, `error: the target cannot be read: ${spoken}`],
      [scheme, 4, `error: the target cannot be written: ${spoken}`],
    ])
  }
})

test('a dry run writes nothing, and says what would change', async () => {
  expect(await replay(all, '--dry-run')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`${all}: no pair that was compared would change the target; 120 pairs compared`),
  })
  await clearTarget()
  const told = await replay(all, '--dry-run')
  expect(told).toMatchObject({ code: 3, stderr: '' })
  expect(told.stdout).toContain(`${all}: 80 pairs of 120 would change the target; `)
  expect(await count()).toBe(0)
})

test('a dry run refuses what a replay would refuse before it writes, and names constraints it would create', async () => {
  await clearTarget()
  await run(target, `DROP CONSTRAINT ${await constraintName()}`)
  expect(await replay(all, '--dry-run')).toMatchObject({ code: 4, stderr: expect.stringContaining('no uniqueness') })
  const { code, stdout } = await replay(all, '--dry-run', '--create-constraints')
  expect({ code, stdout }).toMatchObject({
    code: 3,
    stdout: expect.stringContaining(`\nuniqueness constraints that would be created: :${label}(id)\n`),
  })
  expect(await constraintName()).toBeUndefined()
  // The comparison is slow, and says so.
  expect(await verify()).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^warning: .* :\w+\(id\), which made this slow\n$/),
  })
})

const mermaid = (text: string) => text.replace(/[^\p{L}\p{N} ]/gu, (character) => `#${character.codePointAt(0)};`)

async function constraintName() {
  const query = 'SHOW CONSTRAINTS YIELD name, labelsOrTypes WHERE $label IN labelsOrTypes RETURN name'
  return (await run(target, query, { label }))[0]?.[0] as string | undefined
}
