import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Item, itemOf } from '../../../client/replay/order/batches.ts'
import { createSelection, readKeys } from '../../../client/replay/state/key-set.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'

const { signal } = new AbortController()
const pieceOf = (...lines: string[]) => {
  const stored = zstdCompressSync(Buffer.from(lines.map((line) => `${line}\n`).join('')))
  return { bytes: stored.length, sha256: hash('sha256', stored), read: async () => stored }
}
const item = (statement: string, parameters: Record<string, unknown>): Item =>
  itemOf(parameters, { part: 1, pair: 1 }, recognise(statement) as Recognised)

const node = (id: string) => item('MERGE (n:`P` {`id`: $id}) SET n = {`id`: $id}', { id })
const removal = (id: string) => item('MATCH (n:`P` {`id`: $id}) REMOVE n.`a`', { id })
const between = (pattern: string, set: string, more: object) =>
  item(`MERGE (a:\`P\` {\`id\`: $a_id}) MERGE (b:\`P\` {\`id\`: $b_id}) MERGE (a)-[r:${pattern}]->(b) SET r = ${set}`, {
    a_id: 'a',
    b_id: 'b',
    ...more,
  })
const link = () => between('`T`', '{}', {})
const parallel = (grn: string) => between('`G` {`grn`: $grn}', '{`grn`: $grn}', { grn })
const cleanup = (baseId: string) => item('MATCH (n:`P` {`id`: $baseId})-[r:`T`]->() DELETE r', { baseId })
const deletion = (...ids: string[]) => item('MATCH (n:`P`) WHERE n.`id` IN $ids DETACH DELETE n', { ids })
const unlink = (type: string, ...ends: string[][]) => {
  const [a, b] = ['(a:`P` {`id`: x[0]})', '(b:`P` {`id`: x[1]})']
  return item(`UNWIND $ends AS x MATCH ${a} MATCH ${b} OPTIONAL MATCH (a)-[r:${type}]->(b) DELETE r`, { ends })
}

const lines = [
  ...['["n","P","id","a"]', '["n","P","id","b"]\t={"json":"\\"b\\"","wrap":null,"list":false}'],
  '["n","P","id","alias"]\ta["n","Q","id","a"]',
  ...['["r","P","id","a","T","P","id","b"]', '["r","P","id","a","S","P","id","b"]\ts'],
  ...['["r","P","id","a","G","P","id","b"]\t["grn","g1"]', '["r","P","id","a","G","P","id","b"]\t["grn","g]\\"2",[1]]'],
  '["c","P","id","a","T","out"]',
]
const selection = async () =>
  createSelection(await readKeys('p', [pieceOf(...lines.slice(0, 3)), pieceOf(...lines.slice(3))], signal))

test('the newest pair about each element of a state is compared, and none about anything else', async () => {
  const select = await selection()
  const isCompared = (one: Item) => select(one) !== null
  expect([node('a'), node('a'), node('gone'), removal('a'), removal('b')].map(isCompared)).toEqual([
    ...[true, false, false, false, true],
  ])
  expect([link(), link(), parallel('g1'), parallel('g1'), parallel('g]"2'), parallel('g3')].map(isCompared)).toEqual([
    ...[true, false, true, false, true, false],
  ])
  expect([cleanup('a'), cleanup('a'), cleanup('b')].map(isCompared)).toEqual([true, false, false])
})

test('a deletion is compared for what the state lacks, and no node has under another identity', async () => {
  const select = await selection()
  expect(select(deletion('a', 'gone', 'alias', 'b', 'gone2'))?.parameters).toEqual({ ids: ['gone', 'gone2'] })
  expect(select(deletion('a'))).toBeNull()
  expect(select(unlink('`T`', ['a', 'b'], ['b', 'a']))?.parameters).toEqual({ ends: [['b', 'a']] })
  // The origin has relationships of these ends, although no pair speaks of them, or each has an id of its own.
  expect([select(unlink('`S`', ['a', 'b'])), select(unlink('`G`', ['a', 'b']))]).toEqual([null, null])
  const ends = [...['g1', 'g3'].map((grn) => ['a', 'b', grn])]
  expect(select(unlink('`G` {`grn`: x[2]}', ...ends))?.parameters).toEqual({ ends: [['a', 'b', 'g3']] })
})

test('keys that are not those of the manifest are refused', async () => {
  const piece = { ...pieceOf(...lines), sha256: '0'.repeat(64) }
  await expect(readKeys('acme/p', [pieceOf(), piece], signal)).rejects.toMatchObject({
    kind: 'broken',
    message: 'piece 2 of the state of acme/p is not the one that its manifest names',
  })
})
