import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createRecogniser } from '../../../shared/replay/recognise.ts'
import { openResume } from '../../../shared/replay/resume/resume.ts'
import { nodeUpsert, sourceOf } from '../../support/replaying.ts'
import { fakeTarget } from './fake-connection.ts'

const directory = await mkdtemp(join(tmpdir(), 'resume-'))
const file = join(directory, 'state.json')
beforeEach(() => rm(file, { force: true }))
afterAll(() => rm(directory, { recursive: true }))

const source = sourceOf([nodeUpsert('P', 'a'), nodeUpsert('P', 'b')], [nodeUpsert('P', 'c')])
const settings = { recognise: createRecogniser(), allowOther: false }
const current = { sha256: 'packet', generation: null, target: 'target', databaseId: null }
const { connection } = fakeTarget(() => undefined)
const open = (restart = false, path = file) => openResume(path, restart, source, settings, new AbortController().signal)

test('a replay that begins anew forgets what was done, even if it is killed in its first window', async () => {
  const first = await open()
  await first.begin(connection, current)
  await first.add([1])
  const restarted = await open(true)
  await restarted.begin(connection, current)
  expect((await open()).done).toEqual([])
})
