import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contentsOf } from '../../client/source/contents.ts'
import { localSource } from '../../client/source/local.ts'
import type { Source } from '../../client/source/source.ts'
import { differences } from '../../dev/replay/compare-graphs.ts'
import { run } from '../../dev/replay/neo4j.ts'
import { replayed, undone } from '../support/replay/replaying.ts'
import { openUndoWorld, refusal } from '../support/replay/undo-world.ts'

const world = await openUndoWorld()
const { target, driver, label, stateFile, undoDirectory, source, usual, options, graph, clear, interrupt } = world
const { signal } = new AbortController()

test('an undo is a packet with a manifest, for its owner only, whole before anything is replayed', async () => {
  await interrupt(5)
  const undo = (await localSource(undoDirectory)) as Source
  expect(await contentsOf(undo, signal)).toMatchObject({
    // b0 is named by two parts.
    pairs: 60,
    statements: { nodeUpsert: 2, nodeDelete: 58 },
    requires: { constraints: [{ label, property: 'id' }] },
  })
  expect(await contentsOf({ ...undo, manifest: null }, signal)).toMatchObject({ pairs: 60 })
  for (const name of await readdir(undoDirectory)) {
    expect((await stat(join(undoDirectory, name))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(undoDirectory, name), 'utf8')).not.toContain(target.password)
  }
  expect((await stat(undoDirectory)).mode & 0o777).toBe(0o700)
})

test('an undo without its manifest is a directory of part files', async () => {
  const before = await graph()
  await replayed(source, target, options)
  await rm(join(undoDirectory, 'manifest.json'))
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test.each([5, 30, 55])(
  'an undo of a replay that was interrupted after %i rows is kept when it continues',
  async (rows) => {
    const before = await graph()
    await interrupt(rows)
    await replayed(source, target, options)
    expect((await graph()).nodes.length).toBe(60)
    await undone(undoDirectory, target)
    expect(differences(before, await graph())).toEqual([])
  },
)

test('an undo is kept when an interrupted replay starts over, and undoes a replay that does not continue', async () => {
  const before = await graph()
  await interrupt(30)
  await interrupt(10, { restart: true })
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test('an undo that is not complete is no packet, and is read again, as nothing was replayed', async () => {
  const before = await graph()
  await mkdir(undoDirectory)
  await writeFile(join(undoDirectory, '.killed-1.incomplete'), '{}')
  await expect(localSource(undoDirectory)).rejects.toThrow('neither a manifest.json nor part files')
  await replayed(source, target, options)
  expect(await readdir(undoDirectory)).not.toContain('.killed-1.incomplete')
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test('the undo of a replay that has ended, or of another one, is not overwritten', async () => {
  await interrupt(30)
  const other = { ...source, sha256: '0'.repeat(64) }
  const again = { ...options, restart: true }
  await expect(replayed(other, target, again)).rejects.toMatchObject(refusal('holds the undo of another replay; name'))
  await replayed(source, target, options)
  const after = await graph()
  await expect(replayed(source, target, options)).rejects.toMatchObject(
    refusal('holds the undo of a replay that has ended'),
  )
  expect(differences(after, await graph())).toEqual([])
})

describe.each([{}, { restart: true }])('with the options %j', (more) => {
  test.each([
    { after: 'nothing else', stopAt: null },
    { after: 'another one that was interrupted', stopAt: 30 },
  ])('a new replay does not take the undo of one that ended without it, after $after', async ({ stopAt }) => {
    await interrupt(30)
    await replayed(source, target, usual)
    await run(driver, `MATCH (n:\`${label}\` {id: 'a0'}) SET n.edited = true`)
    if (stopAt !== null) await interrupt(stopAt, { undoDirectory: undefined })
    const edited = await graph()
    const again = replayed(source, target, { ...options, ...more })
    await expect(again).rejects.toMatchObject(refusal('go on without --undo to keep it, or name another directory'))
    expect(differences(edited, await graph())).toEqual([])
    await rm(stateFile, { force: true })
    await replayed(source, target, { ...options, undoDirectory: `${undoDirectory}-2` })
    await undone(`${undoDirectory}-2`, target)
    expect(differences(edited, await graph())).toEqual([])
    await rm(`${undoDirectory}-2`, { recursive: true })
  })
})

test('a replay that was killed between its undo and its state file is refused the directory', async () => {
  await interrupt(5)
  await rm(stateFile)
  const before = await graph()
  await expect(replayed(source, target, options)).rejects.toMatchObject(refusal('name another directory'))
  expect(differences(before, await graph())).toEqual([])
})

test('a directory with other files is refused', async () => {
  await mkdir(undoDirectory)
  await writeFile(join(undoDirectory, 'mine.txt'), '')
  const before = await graph()
  await expect(replayed(source, target, options)).rejects.toMatchObject(
    refusal(`${undoDirectory} holds something else`),
  )
  expect(differences(before, await graph())).toEqual([])
})

test('a replay that was begun without an undo gets none', async () => {
  await interrupt(30, { undoDirectory: undefined })
  await expect(replayed(source, target, options)).rejects.toMatchObject(refusal('begun without --undo'))
  await replayed(source, target, usual)
})

test('a replay that was interrupted and then undone starts over', async () => {
  await clear()
  await run(driver, `UNWIND range(0, 19) AS at CREATE (:\`${label}\` {id: 'a' + at, old: 1})`)
  await interrupt(25)
  expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({ done: [1] })
  await undone(undoDirectory, target)
  expect(await replayed(source, target, usual)).toMatchObject({ partsSkipped: 0, partsDone: 3 })
  expect(await run(driver, `MATCH (n:\`${label}\`) WHERE n.old IS NOT NULL RETURN n.id`)).toEqual([])
})
