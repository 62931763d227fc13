import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createRecogniser } from '../../../shared/replay/recognise.ts'
import { openResume } from '../../../shared/replay/resume/resume.ts'
import type { Connection } from '../../../shared/replay/run/connection.ts'
import { nodeUpsert, sourceOf } from '../../support/replaying.ts'
import { fakeTarget } from './fake-connection.ts'

const directory = await mkdtemp(join(tmpdir(), 'resume-'))
const file = join(directory, 'state.json')
beforeEach(() => rm(file, { force: true }))
afterAll(() => rm(directory, { recursive: true }))

const source = sourceOf([nodeUpsert('P', 'a'), nodeUpsert('P', 'b')], [nodeUpsert('P', 'c')])
const settings = { recognise: createRecogniser(), allowOther: false, inOrder: false }
const current = { sha256: 'packet', generation: null, target: 'target', databaseId: null }
const { connection } = fakeTarget(() => undefined)

/** A target that has every node, and records the ids that it is asked for. */
const answering = (asked: unknown[]) =>
  ({
    session: () => ({
      async *run(_text: string, { rows }: { rows: { id: unknown }[] }) {
        for (const [at, { id }] of rows.entries()) {
          asked.push(id)
          yield { toObject: () => ({ at: BigInt(at), actual: { id }, expected: { id }, equal: {}, labels: [] }) }
        }
      },
      close: async () => {},
    }),
  }) as unknown as Connection

const open = (restart = false, path = file) => openResume(path, restart, source, settings, new AbortController().signal)

test('the places of refused pairs are remembered, and these pairs are not looked for at the target', async () => {
  const first = await open()
  await first.begin(connection, current)
  await first.add([1], [{ part: 1, pair: 1 }])
  await first.add([2], [{ part: 2, pair: 1 }])
  const resumed = await open()
  expect(resumed).toMatchObject({
    done: [1, 2],
    rejected: [
      { part: 1, pair: 1 },
      { part: 2, pair: 1 },
    ],
  })
  const asked: unknown[] = []
  await resumed.begin(answering(asked), current)
  expect(asked).toEqual(['b'])
})

test('a directory is no state file, whether the replay begins anew or not', async () => {
  const message = `the state file ${directory} cannot be read (EISDIR); name another file`
  for (const restart of [false, true])
    await expect(open(restart, directory)).rejects.toMatchObject({ kind: 'refused', message })
})

test('a replay that begins anew forgets what was done, even if it is killed in its first window', async () => {
  const first = await open()
  await first.begin(connection, current)
  await first.add([1], [{ part: 1, pair: 1 }])
  const restarted = await open(true)
  await restarted.begin(connection, current)
  expect(await open()).toMatchObject({ done: [], rejected: [] })
})

test('a state file that cannot be written ends the replay with its name, and what it said stays', async () => {
  const first = await open()
  await first.begin(connection, current)
  await first.add([1], [])
  await mkdir(`${file}.new`)
  await expect(first.add([2], [])).rejects.toMatchObject({
    kind: 'failed',
    message: `the state file ${file} cannot be written (EISDIR); what was replayed stays, and the same command goes on when it can`,
  })
  await rm(`${file}.new`, { recursive: true })
  expect(await open()).toMatchObject({ done: [1] })
})
