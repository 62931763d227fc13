import { afterAll, expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { prepareCopies } from '../support/clients/cli-copy.ts'

const { org, ids, label, driver, target, to, client, packets, differing, prepareCopy } = await prepareCopies(40)
function prepare() {
  const { copy, rewrite } = prepareCopy('sunday')
  rewrite({ originIds: undefined, select: [{ label }] })
  return copy
}
afterAll(() => run(target, `MATCH (m:PacketsState) WHERE m.root STARTS WITH '${org}/' DELETE m`))

const quiet = ['--progress', 'none']
const verify = (...words: string[]) => packets(['verify', `${org}/monday`, ...to, ...quiet, ...words])

test('a copy with a base sends what changed, the target keeps a marker, and the whole state is compared', async () => {
  const copy = prepare()
  expect(await copy(['--as-base', '--record', '--create-constraints', ...quiet])).toMatchObject({ code: 0, stderr: '' })
  const [changed, deleted, kept] = ids as [string, string, string]
  await run(driver, `MATCH (n:\`${label}\` {id: $id}) SET n.name = 'changed'`, { id: changed })
  await run(driver, `MATCH (n:\`${label}\` {id: $id}) DETACH DELETE n`, { id: deleted })
  const monday = ['--name', 'monday', '--base', 'sunday', '--delete-missing', '--json', ...quiet]
  // Without the constraint, nothing is published.
  const [[constraint] = []] = await run(
    target,
    'SHOW CONSTRAINTS YIELD name, labelsOrTypes WHERE $label IN labelsOrTypes RETURN name',
    { label },
  )
  await run(target, `DROP CONSTRAINT \`${constraint}\``)
  expect(await copy(monday)).toMatchObject({ code: 4, stderr: expect.stringContaining('no uniqueness constraint') })
  expect((await client.get(`/1.0/publish/${org}/monday/manifest`)).status).toBe(404)
  const copied = await copy([...monday, '--create-constraints'])
  expect(copied).toMatchObject({ code: 0, stderr: '' })
  const { replay } = JSON.parse(copied.stdout)
  expect(replay.rows).toBeLessThan(20)
  expect(replay.counters).toMatchObject({ nodesDeleted: 1 })
  expect(await differing()).toEqual([])
  expect((await run(target, `MATCH (m:PacketsState) WHERE m.root = '${org}/sunday' RETURN m.packet, m.to`))[0]).toEqual(
    [`${org}/monday`, null],
  )

  const whole = await verify('--state', '--json')
  expect(whole).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(whole.stdout)).toMatchObject({
    isEqual: true,
    packets: [`${org}/monday`, `${org}/sunday`],
    pairs: { nodeUpsert: 39, nodeDelete: 1 },
  })

  // The delta says nothing of this node, and what the base says of the deleted one counts no more.
  await run(target, `MATCH (n:\`${label}\` {id: $id}) SET n.name = 'lost'`, { id: kept })
  expect(await verify()).toMatchObject({ code: 0, stderr: expect.stringContaining('--state compares') })
  await run(target, `CREATE (n:\`${label}\` {id: $id})`, { id: deleted })
  const { code, stdout } = await verify('--state')
  const lines = stdout.split('\n').map((line) => line.replace(/, part .* pair \d+: /, ': '))
  expect({ code, lines }).toEqual({
    code: 3,
    lines: expect.arrayContaining([
      `${org}/monday: :${label}(id=${deleted}) is still there`,
      `${org}/sunday: :${label}(id=${kept}).name: packet none, target "lost" (string)`,
    ]),
  })

  // The target has the state of monday now. Nothing is published.
  const tuesday = await copy(['--name', 'tuesday', '--base', 'sunday', ...quiet])
  expect(tuesday).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /it has the state .* of .*\/monday; replay .*\/sunday first, or insist with --ignore-base/,
    ),
  })
  expect((await client.get(`/1.0/publish/${org}/tuesday/manifest`)).status).toBe(404)

  await client.call('DELETE', `/1.0/publish/${org}/sunday`)
  expect(await verify('--state')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(`--state: ${org}/sunday, the base of ${org}/monday, is gone`),
  })
})

test.each([
  [['--record'], '--record: needs --as-base or --base'],
  [['--ignore-base', '--as-base'], '--ignore-base: needs --base'],
])('a copy refuses an option that has no effect: %j', async (words, message) => {
  expect(await prepare()([...words, ...quiet])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
