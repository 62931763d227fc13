import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readState, writeState } from '../../../shared/replay/resume/state-file.ts'
import { forgetUndone, openUndo } from '../../../shared/replay/undo/directory.ts'

const home = await mkdtemp(join(tmpdir(), 'undo-'))
const [directory, stateFile] = [join(home, 'undo'), join(home, 'state.json')]
afterAll(() => rm(home, { recursive: true }))
beforeEach(() => rm(directory, { recursive: true, force: true }))

const on5 = { sha256: 'packet', generation: 3, target: 'one address', databaseId: 'A' }
const on3 = { ...on5, databaseId: null }
const elsewhere = { target: 'another address' }

test.each([
  ['is forgotten', on5, {}, on5, false],
  ['is forgotten by whatever address of its database', on5, {}, { ...on5, ...elsewhere }, false],
  ['stays if another database is undone', on5, {}, { ...on5, databaseId: 'B' }, true],
  ['stays on Neo4j 3.5 if another address is undone', on3, {}, { ...on3, ...elsewhere }, true],
  ['is forgotten on Neo4j 3.5 at its address', on3, {}, on3, false],
  ['stays if it is of another packet', on5, { sha256: 'another' }, on5, true],
  ['stays if it is of another generation', on5, { generation: 4 }, on5, true],
])('what is remembered of a replay %s', async (_what, replayed, changed, at, stays) => {
  await writeState(stateFile, { version: 1, done: [1], rejected: [], ...replayed, ...changed })
  await openUndo({ directory, replayed, stateFile }, false)
  await forgetUndone(directory, at)
  expect((await readState(stateFile, false)) !== null).toBe(stays)
})

test('nothing is forgotten for a directory that holds no undo, or the undo of a replay without a state file', async () => {
  await writeState(stateFile, { version: 1, done: [1], rejected: [], ...on5 })
  await forgetUndone(home, on5)
  await openUndo({ directory, replayed: on5, stateFile: null }, false)
  await forgetUndone(directory, on5)
  // An undo can be replayed whatever has become of its marker.
  await writeFile(join(directory, 'undo.state'), '{')
  await forgetUndone(directory, on5)
  expect((await readdir(home)).sort()).toEqual(['state.json', 'undo'])
})
