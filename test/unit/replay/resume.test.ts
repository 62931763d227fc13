import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { partsHeld } from '../../../client/replay/resume/held.ts'
import { openResume, type State } from '../../../client/replay/resume/resume.ts'
import type { Connection } from '../../../client/replay/run/connection.ts'
import type { PackedRows } from '../../../client/replay/run/sending.ts'
import { createRecogniser } from '../../../packet/recognise.ts'
import { nodeUpsert, sourceOf } from '../../support/replay/replaying.ts'
import { unpack } from './fake-connection.ts'

const directory = await mkdtemp(join(tmpdir(), 'resume-'))
const file = join(directory, 'state.json')
beforeEach(() => rm(file, { force: true }))
afterAll(() => rm(directory, { recursive: true }))

const source = sourceOf([nodeUpsert('P', 'a'), nodeUpsert('P', 'b')], [nodeUpsert('P', 'c')])
const { signal } = new AbortController()
const settings = { recognise: createRecogniser(), windowBytes: 1 }
const reading = { ...settings, lanes: 1, batchRows: 10, mostShown: 0, signal }
const current = { sha256: 'packet', generation: null, target: 'target', databaseId: null }
const begun = { ...current, replay: 'first', done: [], rejected: [] }

/** A target that has every node but one, and records the ids that it is asked for. */
const answering = (asked: unknown[], absent: unknown = null) =>
  ({
    session: () => ({
      async *run(_text: string, { rows }: { rows: PackedRows }) {
        for (const [at, { id }] of (unpack(rows.bytes) as { id: unknown }[]).entries()) {
          asked.push(id)
          const actual = id === absent ? null : { id }
          yield { toObject: () => ({ at: BigInt(at), actual, expected: { id }, equal: {}, labels: [] }) }
        }
      },
      close: async () => {},
    }),
  }) as unknown as Connection

const open = (restart = false, path = file) => openResume(path, restart)

test('the places of refused pairs are remembered, and these pairs are not looked for at the target', async () => {
  const first = await open()
  await first.begin(begun)
  await first.add([1], [{ part: 1, pair: 1 }])
  await first.add([2], [{ part: 2, pair: 1 }])
  const { known } = await open()
  const rejected = [
    { part: 1, pair: 1 },
    { part: 2, pair: 1 },
  ]
  expect(known).toMatchObject({ done: [1, 2], rejected })
  const asked: unknown[] = []
  const held = await partsHeld(answering(asked), source, known as State, reading, () => {})
  expect(asked).toEqual(['b'])
  expect(held).toEqual({ done: [1, 2], rejected })
})

test('the parts from the first one on that the target does not hold count as not done, with their refused pairs', async () => {
  const asked: unknown[] = []
  const told: number[] = []
  const done = { done: [1, 2, 3], rejected: [1, 2, 3].map((part) => ({ part, pair: 9 })) }
  const three = sourceOf(...['a', 'b', 'c'].map((id) => [nodeUpsert('P', id)]))
  const held = await partsHeld(answering(asked, 'b'), three, done, reading, (parts) => told.push(parts))
  expect(held).toEqual({ done: [1], rejected: [{ part: 1, pair: 9 }] })
  expect([asked, told]).toEqual([['a', 'b'], [1]])
})

test('a directory is not a state file, whether the replay starts over or not', async () => {
  const message = `the state file ${directory} cannot be read (EISDIR); name another file`
  for (const restart of [false, true])
    await expect(open(restart, directory)).rejects.toMatchObject({ kind: 'refused', message })
})

test('a replay that starts over forgets what was done, even if it is killed in its first window', async () => {
  const first = await open()
  await first.begin(begun)
  await first.add([1], [{ part: 1, pair: 1 }])
  const restarted = await open(true)
  await restarted.begin(begun)
  expect((await open()).known).toMatchObject({ done: [], rejected: [] })
})

test('a replay has the id of the earlier one of its packet and target that has not ended', async () => {
  const [first, second] = [await open(), await open()]
  expect(first.idOf(current)).not.toBe(second.idOf(current))
  await first.begin(begun)
  for (const restart of [false, true]) expect((await open(restart)).idOf(current)).toBe('first')
  expect((await open(true)).idOf({ ...current, sha256: 'other' })).not.toBe('first')
})

test('a file that is no state file is refused, whether the replay starts over or not, and stays', async () => {
  await writeFile(file, '{}')
  const message = `${file} is not a state file of a replay; name another file`
  for (const restart of [false, true]) await expect(open(restart)).rejects.toMatchObject({ kind: 'refused', message })
  expect(await readFile(file, 'utf8')).toBe('{}')
})

test('a state file that cannot be written ends the replay with its name, and its content stays', async () => {
  const first = await open()
  await first.begin(begun)
  await first.add([1], [])
  await mkdir(`${file}.new`)
  await expect(first.add([2], [])).rejects.toMatchObject({
    kind: 'failed',
    message: `the state file ${file} cannot be written (EISDIR); what was replayed stays, and the same command continues when it can`,
  })
  await rm(`${file}.new`, { recursive: true })
  expect((await open()).known).toMatchObject({ done: [1] })
})
