import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differences } from '../../dev/replay/compare-graphs.ts'
import { replayed, undone } from '../support/replay/replaying.ts'
import { openUndoWorld, refusal } from '../support/replay/undo-world.ts'

const { target, home, stateFile, undoDirectory, source, options, graph, interrupt } = await openUndoWorld()

test('of two replays at once that name one directory, one is refused, and the undo restores the target', async () => {
  const before = await graph()
  const other = join(home, 'other.json')
  const both = [options, { ...options, stateFile: other }].map((one) => replayed(source, target, one))
  const ended = await Promise.allSettled(both)
  const failed = ended.filter(({ status }) => status === 'rejected')
  expect(failed).toEqual([{ status: 'rejected', reason: expect.objectContaining(refusal('name another directory')) }])
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test('a replay that was killed at the very end of its undo continues if it had remembered itself', async () => {
  const before = await graph()
  await interrupt(5)
  const [marker, state] = [join(undoDirectory, 'undo.state'), await readFile(stateFile, 'utf8')]
  const complete = await readFile(marker, 'utf8')
  await writeFile(marker, complete.replace('complete', 'beginning'))
  await rm(stateFile)
  const notBegun = refusal('holds the undo of a replay that has not begun; name another directory')
  await expect(replayed(source, target, options)).rejects.toMatchObject(notBegun)
  await writeFile(stateFile, state)
  await replayed(source, target, options)
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test('a replay whose undo cannot be marked as ended continues when it can', async () => {
  const before = await graph()
  const onProgress = () => mkdir(join(undoDirectory, 'undo.state.new')).catch(() => {})
  await expect(replayed(source, target, { ...options, onProgress })).rejects.toMatchObject({ kind: 'failed' })
  await rm(join(undoDirectory, 'undo.state.new'), { recursive: true })
  await replayed(source, target, options)
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test('a replay that starts over and cannot remember itself keeps its undo, which another process may use', async () => {
  await interrupt(30, { undoDirectory: undefined })
  const before = await graph()
  await mkdir(`${stateFile}.new`)
  const again = { ...options, restart: true }
  await expect(replayed(source, target, again)).rejects.toThrow('cannot be written (EISDIR)')
  expect(await readdir(undoDirectory)).toContain('manifest.json')
  await rm(`${stateFile}.new`, { recursive: true })
  await replayed(source, target, again)
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})

test('a replay that cannot remember itself leaves no undo, and continues when it can', async () => {
  const before = await graph()
  await mkdir(`${stateFile}.new`)
  await expect(replayed(source, target, options)).rejects.toThrow('cannot be written (EISDIR)')
  expect([differences(before, await graph()), await readdir(undoDirectory)]).toEqual([[], []])
  await rm(`${stateFile}.new`, { recursive: true })
  await replayed(source, target, options)
  await undone(undoDirectory, target)
  expect(differences(before, await graph())).toEqual([])
})
