import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differences, readGraph } from '../../dev/replay/compare-graphs.ts'
import { run } from '../../dev/replay/neo4j.ts'
import { emptyDirectory } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'

const { org, label, target, publish, replay, packets, to, ids } = await prepareReplay(40)
await publish('people.json')
const all = `${org}/people.json`
const state = () => ['--state', join(emptyDirectory(), 'state.json')]

test('a replay with --undo is undone by replaying what it wrote', async () => {
  await run(target, `CREATE (:\`${label}\`:Old {id: $id, old: 1.0})-[:KNOWS]->(:\`${label}\` {id: 'other'})`, {
    id: ids[0],
  })
  const before = await readGraph(target, label)
  const undo = join(emptyDirectory(), 'undo')
  const done = await replay(all, '--create-constraints', '--undo', undo, '--json', ...state())
  expect({ ...done, stdout: JSON.parse(done.stdout) }).toMatchObject({ code: 0, stdout: { source: all, undo } })
  expect(differences(before, await readGraph(target, label))).not.toEqual([])
  expect(await packets(['inspect', undo])).toMatchObject({ code: 0, stdout: expect.stringContaining('nodeDelete: 39') })
  expect(await replay(undo, ...state())).toMatchObject({ code: 0 })
  expect(differences(before, await readGraph(target, label))).toEqual([])
})

test('the result of a replay says how to undo it', async () => {
  const undo = join(emptyDirectory(), 'undo')
  const { stdout } = await replay(all, '--create-constraints', '--undo', undo, ...state())
  expect(stdout).toContain(`; packets replay ${undo} undoes it\n`)
})

test('a replay that could not be undone is exit code 4, and nothing is replayed', async () => {
  await run(target, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await run(target, `CREATE (:\`${label}\` {id: $id, photo: $photo})`, { id: ids[0], photo: new Int8Array([1]) })
  const { code, stderr } = await replay(
    all,
    '--create-constraints',
    '--undo',
    join(emptyDirectory(), 'undo'),
    ...state(),
  )
  const message = `error: the node :${label} ${ids[0]} has a byte array as its property "photo": an undo could not restore it; nothing was replayed\n`
  expect({ code, stderr }).toEqual({ code: 4, stderr: message })
  expect(await run(target, `MATCH (n:\`${label}\`) RETURN count(n)`)).toEqual([[1n]])
})

test('--undo and --without-constraints exclude each other', async () => {
  const option = '--without-constraints'
  const words = ['replay', '-', ...to, '--undo', join(emptyDirectory(), 'undo'), option]
  const { code, stderr } = await packets(words, '{"statements":[]}')
  const message = `error: option '--undo <dir>' cannot be used with option '${option}'\n`
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})

test('a directory for --undo that cannot be created is refused', async () => {
  const file = join(emptyDirectory(), 'file')
  writeFileSync(file, '')
  const words = ['replay', '-', ...to, ...state(), '--undo', join(file, 'undo')]
  const { code, stderr } = await packets(words, '{"statements":[]}')
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error: --undo: .* cannot be written/) })
})
