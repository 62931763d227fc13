import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, pairOf, partsWithManifest, relationshipUpsert, replayed } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const [driver, other] = [openDriver(target), openDriver(legacy)]
const label = uniqueName('Resumed')
const directory = await mkdtemp(join(tmpdir(), 'replay-'))
const stateFile = join(directory, 'of/this/replay.json')
const many = (name: string) => Array.from({ length: 20 }, (_, index) => nodeUpsert(label, `${name}${index}`))
const parts = [many('a'), many('b').concat(relationshipUpsert(label, 'a1', 'b1')), many('c')]
const source = partsWithManifest([{ label, property: 'id' }], ...parts)
const options = { createConstraints: true, stateFile, windowBytes: 1, batchRows: 5, lanes: 1 }
const found = async () => (await run(driver, `MATCH (n:\`${label}\`) RETURN count(n)`))[0]?.[0]
afterAll(async () => {
  for (const each of [driver, other]) await run(each, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await Promise.all([driver.close(), other.close(), rm(directory, { recursive: true })])
})

/** A replay that is interrupted when it has begun its last part. */
async function interrupt(): Promise<void> {
  const interrupted = new AbortController()
  const onProgress = ({ rows }: { rows: number }) => rows > 45 && interrupted.abort()
  const replay = replayed(source, target, { ...options, onProgress, signal: interrupted.signal })
  await expect(replay).rejects.toMatchObject({
    kind: 'interrupted',
    message: 'interrupted; the same command continues',
  })
}

beforeEach(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await rm(stateFile, { force: true })
})

test('an interrupted replay ends its transaction, keeps its state, and continues from there', async () => {
  await interrupt()
  expect(await found()).toBe(46n - 1n)
  expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({ done: [1, 2], generation: 3 })
  expect(await replayed(source, target, options)).toMatchObject({ partsSkipped: 2, partsDone: 3, rows: 20 })
  expect(await found()).toBe(60n)
  await expect(readFile(stateFile)).rejects.toThrow('ENOENT')
})

test.each([
  ['another packet', { ...source, sha256: '0'.repeat(64) }, 'the state file is of another packet'],
  ['another generation', { ...source, generation: 4 }, 'the state file is of another generation of the packet (3)'],
])('the state does not fit %s', async (_what, changed, message) => {
  await interrupt()
  const refused = { kind: 'refused', message: `${message}; pass --restart to start over` }
  await expect(replayed(changed, target, options)).rejects.toMatchObject(refused)
  expect(await replayed(changed, target, { ...options, restart: true })).toMatchObject({ partsSkipped: 0 })
})

test('the state does not fit another target, nor another database at the same address', async () => {
  await interrupt()
  await expect(replayed(source, legacy, options)).rejects.toMatchObject({
    message: 'the state file is of another target; pass --restart to start over',
  })
  // Nothing was written there, no constraint either.
  expect(JSON.stringify(await run(other, 'CALL db.constraints()'))).not.toContain(label)
  const state = JSON.parse(await readFile(stateFile, 'utf8'))
  await writeFile(stateFile, JSON.stringify({ ...state, databaseId: 'ABC' }))
  await expect(replayed(source, target, options)).rejects.toMatchObject({
    message: 'the state file is of another database (id ABC); pass --restart to start over',
  })
})

test('a state file with other content is refused', async () => {
  await interrupt()
  await writeFile(stateFile, '{"version": 2}')
  await expect(replayed(source, target, options)).rejects.toMatchObject({
    kind: 'refused',
    message: `${stateFile} is not a state file of a replay; name another file`,
  })
})

test('a replay continues in spite of pairs that were refused before an interruption, and counts them', async () => {
  const bad = ['x', 'y'].map((id) => pairOf(nodeUpsert(label, id).statement, { id: { not: id } }))
  const packet = partsWithManifest([{ label, property: 'id' }], [...bad, ...many('a')], many('b'))
  const interrupted = new AbortController()
  const collecting = { ...options, rejected() {} }
  const onProgress = ({ rows }: { rows: number }) => rows > 20 && interrupted.abort()
  const first = replayed(packet, target, { ...collecting, onProgress, signal: interrupted.signal })
  await expect(first).rejects.toMatchObject({ kind: 'interrupted' })
  const rejected = [1, 2].map((pair) => ({ part: 1, pair }))
  expect(JSON.parse(await readFile(stateFile, 'utf8'))).toMatchObject({ done: [1], rejected })
  expect(await replayed(packet, target, collecting)).toMatchObject({
    partsSkipped: 1,
    rejected: 2,
    rejectedBefore: 2,
    pairs: { nodeUpsert: 20 },
  })
})

test('a replay continues at the part whose relationship is gone', async () => {
  await interrupt()
  await run(driver, `MATCH (:\`${label}\`)-[r]->() DELETE r`)
  expect(await replayed(source, target, options)).toMatchObject({ partsSkipped: 1, partsDone: 3, rows: 41 })
  expect(await run(driver, `MATCH (:\`${label}\`)-[r]->() RETURN count(r)`)).toEqual([[1n]])
})
