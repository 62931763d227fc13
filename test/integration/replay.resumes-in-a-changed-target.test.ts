import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest'
import type { PacketSource, ReplayOptions } from '../../client/replay/replay.ts'
import { localSource } from '../../client/source/local.ts'
import { differences, readGraph } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { Pair } from '../../packet/parts/parse-part.ts'
import {
  nodeUpsert,
  pairOf,
  partsWithManifest,
  relationshipUpsert,
  replayed,
  verified,
} from '../support/replay/replaying.ts'

const { target } = inject('stack') as { target: Neo4jAddress }
const driver = openDriver(target)
const label = uniqueName('Overwritten')
const node = `(n:\`${label}\` {\`id\`: $id})`
const constraints = [{ label, property: 'id' }]
let home: string

const ids = (name: string) => Array.from({ length: 20 }, (_, index) => `${name}${index}`)
const named = (name: string, value: string): Pair[] =>
  ids(name).map((id) => pairOf(`MERGE ${node} SET n = {\`id\`: $id, \`name\`: $name}`, { id, name: value }))
const packet = (...parts: Pair[][]): PacketSource => partsWithManifest(constraints, ...parts)
const graph = () => readGraph(driver, label)
const file = (name: string) => join(home, name)
const count = async (condition: string) =>
  Number((await run(driver, `MATCH (n:\`${label}\`) WHERE ${condition} RETURN count(n)`))[0]?.[0])

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'resumed-'))
  for (const name of ['a', 'b', 'c'])
    await run(driver, `UNWIND $ids AS id CREATE (:\`${label}\` {id: id})`, { ids: ids(name) })
})
afterEach(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await rm(home, { recursive: true })
})
afterAll(() => driver.close())

type Options = Partial<ReplayOptions>
const usual = { createConstraints: true, windowBytes: 1, batchRows: 5, lanes: 1 }
const go = (source: PacketSource, state: string, options: Options = {}) =>
  replayed(source, target, { ...usual, stateFile: file(state), ...options })

/** Replays until a window after this number of parts is under way. */
async function interrupt(source: PacketSource, state: string, parts: number, options: Options = {}): Promise<void> {
  const interrupted = new AbortController()
  let behind = 0
  const onProgress: ReplayOptions['onProgress'] = ({ partsDone }) => {
    if (partsDone === parts && behind++ > 0) interrupted.abort()
  }
  const replay = go(source, state, { ...options, onProgress, signal: interrupted.signal })
  await expect(replay).rejects.toMatchObject({ kind: 'interrupted' })
}

const people = () => packet(named('a', 'new'), named('b', 'new'), named('c', 'new'))

test.each([
  { what: 'the same state file', states: ['undo', 'undo'], replays: ['replay', 'replay'] },
  { what: 'state files of two names', states: ['undo', 'undo'], replays: ['replay', 'another'] },
])(
  'an undo that is resumed after its replay was resumed restores every part, with $what',
  async ({ states, replays }) => {
    const before = await graph()
    const undoDirectory = file('saved')
    const [first, second] = replays as [string, string]
    await interrupt(people(), first, 2, { undoDirectory })
    const undo = (await localSource(undoDirectory)) as PacketSource
    await interrupt({ ...undo, ...(await inParts(undo)) }, states[0] as string, 2)
    await go(people(), second, second === first ? { undoDirectory } : {})
    await go({ ...undo, ...(await inParts(undo)) }, states[1] as string)
    expect(differences(before, await graph())).toEqual([])
  },
)

/** The pairs of an undo in several parts, as it would have them if it were large. */
async function inParts({ parts }: PacketSource): Promise<Pick<PacketSource, 'parts' | 'sha256'>> {
  const stored = JSON.parse(`${await parts[0]?.read(new AbortController().signal)}`)
  const pairs: Pair[] = stored.statements
  const cut = [0, 20, 40].map((start) => pairs.slice(start, start + 20))
  const { sha256, parts: several } = packet(...cut)
  return { sha256, parts: several }
}

test.each([
  ['in its directory', (directory: string) => localSource(directory)],
  ['by the file of its part', (directory: string) => localSource(join(directory, 'undo.json'))],
  [
    'from a copy of its directory',
    async (directory: string) => {
      await cp(directory, file('copied'), { recursive: true })
      await rm(directory, { recursive: true })
      return localSource(file('copied'))
    },
  ],
  [
    'on another machine',
    async (directory: string) => {
      await rename(file('replay'), file('there'))
      return localSource(directory)
    },
    'there',
  ],
])('a replay that is resumed after it was undone %s replays every part', async (_where, undoOf, state = 'replay') => {
  const undoDirectory = file('saved')
  await interrupt(people(), 'replay', 2, { undoDirectory })
  const undo = (await undoOf(undoDirectory)) as PacketSource
  await go(undo, 'undo')
  await go(people(), state)
  expect(await count("n.name = 'new'")).toBe(60)
})

test('a replay that is resumed replays again what another packet has overwritten meanwhile', async () => {
  await interrupt(people(), 'replay', 2)
  // One pair of the second part.
  await go(packet(named('b', 'other').slice(7, 8)), 'other')
  expect(await go(people(), 'replay')).toMatchObject({ partsSkipped: 1, partsDone: 3 })
  expect(await count("n.name = 'new'")).toBe(60)
})

test('a replay that is interrupted again while it replays parts again does not take them for done', async () => {
  await interrupt(people(), 'replay', 2)
  await go(packet(named('a', 'other')), 'other')
  await interrupt(people(), 'replay', 0)
  expect(JSON.parse(await readFile(file('replay'), 'utf8'))).toMatchObject({ done: [] })
})

const cleanups = (name: string) =>
  ids(name).map((baseId) => pairOf(`MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`KNOWS\`]->() DELETE r`, { baseId }))
const deleted = (name: string) =>
  pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids: ids(name) })
const forgets = (name: string) => ids(name).map((id) => pairOf(`MATCH ${node} REMOVE n.\`name\``, { id }))

test.each([
  ['cleanups', packet(cleanups('a'), cleanups('b')), [relationshipUpsert(label, 'a1', 'b1')]],
  ['node deletes', packet([deleted('a')], cleanups('b')), [nodeUpsert(label, 'a1')]],
  ['removed properties', packet(forgets('a'), cleanups('b')), named('a', 'other')],
])('a replay that is resumed does its %s again if another packet has undone them', async (_kind, source, other) => {
  await interrupt(source, 'replay', 1)
  await go(packet(other), 'other')
  await go(source, 'replay')
  expect(await verified(source, target)).toMatchObject({ differing: 0 })
})

test('a replay in order that is resumed keeps the order of parts that change the same element', async () => {
  const source = packet(named('a', 'first'), named('a', 'second'), named('b', 'new'))
  await interrupt(source, 'replay', 2, { inOrder: true })
  await go(source, 'replay', { inOrder: true })
  expect(await count("n.name = 'second'")).toBe(20)
})

test('a replay that was begun without an undo gets none, though none of its parts is done', async () => {
  await interrupt(people(), 'replay', 0)
  const message = expect.stringContaining('begun without --undo')
  const undoDirectory = file('saved')
  await expect(go(people(), 'replay', { undoDirectory })).rejects.toMatchObject({ kind: 'refused', message })
})
