import { DateTime, Time } from 'neo4j-driver'
import { expect, test } from 'vitest'
import type { Identity } from '../../../../packet/identity.ts'
import { cleanup } from '../../../../packet/kinds/cleanup.ts'
import { nodeUpsert } from '../../../../packet/kinds/node-upsert.ts'
import { relationshipUpsert } from '../../../../packet/kinds/relationship-upsert.ts'
import type { Statement } from '../../../../packet/kinds/statement.ts'
import { pairOf, pairText, shapeOf } from '../../../../packet/pair.ts'
import { renderValue } from '../../../../packet/values/render-value.ts'
import type { Rendered } from '../../../../packet/values/values.ts'
import { createDigestCache } from '../../../../shared/publish/state/digest-cache.ts'
import { compareStates, type Gone, nodeOf, relationshipOf } from '../../../../shared/publish/state/gone.ts'
import { createPairIndex } from '../../../../shared/publish/state/index-pairs.ts'
import { createKeyKinds } from '../../../../shared/publish/state/key-kinds.ts'
import { countElements } from '../../../../shared/publish/state/lines.ts'
import { nodeLine } from '../../../../shared/publish/state/pair-kinds.ts'
import { createSorter } from '../../../../shared/publish/state/sorter.ts'
import { addIndices, noIndices, textOfIndices } from '../../../../shared/publish/state/stored.ts'

type Value = string | number | bigint | unknown[]
const rendered = (value: unknown, numbers: 'plain' | 'strict' = 'plain') => renderValue(value, numbers) as Rendered
const person = (id: Value, numbers?: 'plain' | 'strict'): Identity => ({
  label: 'Person',
  idProperty: 'id',
  id: rendered(id, numbers),
})

/** Digests and lines of the state to which pairs lead. */
function stateOf(add: (index: ReturnType<typeof createPairIndex>, take: typeof takePair) => void) {
  using sorter = createSorter()
  const index = createPairIndex(sorter, createKeyKinds(), null)
  add(index, takePair)
  const digests = Array.from(sorter.takeDigests(), (bytes) => bytes.toString('hex')).join('')
  const lines = Buffer.concat(Array.from(sorter.takeLines(), (bytes) => Buffer.from(bytes)))
  return { digests, lines, texts: lines.toString().trimEnd().split('\n').sort() }
}

function takePair<Source>(
  index: ReturnType<typeof createPairIndex>,
  statement: Statement<Source>,
  jsonOf: (source: Source) => string,
  syntax: 'braces' | 'dollar' = 'braces',
) {
  const pair = pairOf(shapeOf(statement, syntax), jsonOf)
  index.take(Buffer.from(pairText(pair)), pair.shape.topic)
}

const upsert = (node: Identity, at: Value, syntax?: 'dollar') => (index: ReturnType<typeof createPairIndex>) =>
  takePair(
    index,
    nodeUpsert(
      node,
      [
        { key: 'at', value: rendered(at) },
        { key: 'id', value: node.id },
      ],
      { protectedKeys: [], added: [], removed: [] },
    ),
    (source) => (source === 'id' ? node.id.json : rendered(at).json),
    syntax,
  )

test('a pair has one digest in both syntaxes, and another one for each other value or type', () => {
  const digestOf = (node: Identity, at: Value, syntax?: 'dollar') => stateOf(upsert(node, at, syntax)).digests
  expect(digestOf(person('a'), 1n, 'dollar')).toBe(digestOf(person('a'), 1n))
  const others = [
    digestOf(person('a'), 1n),
    digestOf(person('a'), 2n),
    digestOf(person('a'), '1'),
    digestOf(person('b'), 1n),
  ]
  expect(new Set([...others, digestOf(person('a'), 1.5)]).size).toBe(5)
})

test('lines name what pairs are about, by ids as MERGE compares them', () => {
  const [a, b] = [person('a"\\b'), person(7n, 'strict')]
  const { texts } = stateOf((index) => {
    upsert(person(5.0), 1n)(index)
    const own = [
      { key: 'rid', value: rendered(9n) },
      { key: 'stamp', value: rendered(1n) },
    ]
    takePair(index, relationshipUpsert({ start: a, type: 'KNOWS', end: b }, own, [], 'rid'), (source) =>
      source === 'startId'
        ? a.id.json
        : source === 'endId'
          ? b.id.json
          : (source as { property: string }).property === 'rid'
            ? '9'
            : '"[{,"',
    )
    takePair(index, cleanup(a, { type: 'KNOWS', direction: 'out' }, []), () => a.id.json)
    index.alsoFoundBy(person('x'), [{ label: 'Other', idProperty: 'key', id: rendered(1n) }])
    index.keepBetween({ start: person('x'), type: 'T', end: person('y') })
  })
  const isLong = (line: string) => line.includes('"rid"')
  expect(texts.filter(isLong)).toEqual([
    expect.stringMatching(/^\["r","Person","id","a\\"\\\\b","KNOWS","Person","id",7\]\t\["rid",9,\[\{.*\}\]\]$/),
  ])
  expect(texts.filter((line) => !isLong(line))).toEqual([
    '["c","Person","id","a\\"\\\\b","KNOWS","out"]',
    '["n","Other","key",1]\ta["n","Person","id","x"]',
    '["n","Person","id","a\\"\\\\b"]',
    '["n","Person","id","x"]',
    '["n","Person","id","y"]',
    '["n","Person","id",5]\t={"json":"5.0","wrap":null,"list":false}',
    '["n","Person","id",7]\t={"json":"7","wrap":"toInteger","list":false}',
    '["r","Person","id","x","T","Person","id","y"]\ts',
  ])
})

test('the stamp of a relationship is no part of its digest, but anything else is', () => {
  const stamped = (stamp: string, n: string, told: string | null) =>
    stateOf((index) => {
      index.stampedWith(told)
      const fields = ['n', 'stamp'].map((key) => ({ key, value: rendered(1n) }))
      takePair(
        index,
        relationshipUpsert({ start: person('a'), type: 'T', end: person('b') }, fields, [], null),
        (source) => (typeof source === 'string' ? '"a"' : source.property === 'n' ? n : stamp),
      )
    }).digests
  expect(stamped('1764374400000', '1', '1764374400000')).toBe(stamped('1764374400999', '1', '1764374400999'))
  expect(stamped('1764374400000', '2', '1764374400000')).not.toBe(stamped('1764374400000', '1', '1764374400000'))
  // Another property with the same value: then nothing is left out, and the pair counts as changed.
  expect(stamped('1764374400000', '1764374400000', '1764374400000')).not.toBe(
    stamped('1764374400001', '1764374400000', '1764374400001'),
  )
})

async function compared(base: Parameters<typeof stateOf>[0], now: Parameters<typeof stateOf>[0]) {
  const gone: Gone[] = []
  const result = await compareStates([stateOf(now).lines], [stateOf(base).lines], (one) => gone.push(one))
  return { ...result, gone, counts: result.gone, base: countElements(stateOf(base).lines) }
}

test('nodes that only the base has are gone, unless the same id is written otherwise', async () => {
  const { gone, base } = await compared(
    (index) => {
      for (const one of [person('a'), person(5n), person('c')]) upsert(one, 1n)(index)
    },
    (index) => {
      for (const one of [person('a'), person(5.0), person('d')]) upsert(one, 2n)(index)
    },
  )
  expect(base).toEqual({ nodes: 3, relationships: 0 })
  expect(gone.map(({ key }) => nodeOf(key))).toEqual([person('c')])
})

test('a node that is found by the id of another one now is known by both', async () => {
  const other = (id: Value): Identity => ({ label: 'Other', idProperty: 'id', id: rendered(id) })
  const { gone, renamed } = await compared(
    (index) => {
      upsert(person('a'), 1n)(index)
      upsert(person('b'), 1n)(index)
      index.alsoFoundBy(person('a'), [other(1n)])
    },
    (index) => {
      upsert(person('b'), 1n)(index)
      upsert(other(1n), 1n)(index)
    },
  )
  expect(gone.map(({ key }) => key)).toEqual(['["n","Person","id","a"]'])
  expect([...renamed]).toEqual([['["n","Person","id","a"]', new Set(['["n","Other","id",1]'])]])
})

test('a relationship that was left out, or that another property identifies now, is not gone', async () => {
  const ends = (end: string) => ({ start: person('a'), type: 'T', end: person(end) })
  const put = (index: ReturnType<typeof createPairIndex>, end: string, idField: string | null, own = '1') =>
    takePair(
      index,
      relationshipUpsert(ends(end), idField === null ? [] : [{ key: idField, value: rendered(1n) }], [], idField),
      (source) => (source === 'startId' ? '"a"' : source === 'endId' ? `"${end}"` : own),
    )
  const { gone } = await compared(
    (index) => {
      for (const end of ['gone', 'kept', 'otherwise', 'parallel']) put(index, end, 'rid')
      put(index, 'parallel', 'rid', '2')
    },
    (index) => {
      index.keepBetween(ends('kept'))
      put(index, 'otherwise', null)
      put(index, 'parallel', 'rid', '2')
    },
  )
  const relationships = gone.filter(({ key }) => key.startsWith('["r"')).map(relationshipOf)
  expect(relationships.map(({ end, own }) => [end.id.json, own?.id.json]).sort()).toEqual([
    ['"gone"', '1'],
    ['"parallel"', '1'],
  ])
})

test('a list of times or datetimes has one key, however its elements are given', () => {
  const at = (offset: number, zone?: string) =>
    new DateTime(2020n, 1n, 1n, 0n, 0n, 5n, 120_000_000n, BigInt(offset), zone)
  const ids = [
    [at(3_600), at(-16_200), at(3_600, 'Europe/Paris')],
    [new Time(1n, 2n, 3n, 0n, 3_600n), new Time(1n, 2n, 3n, 7n, 3_601n)],
  ]
  for (const id of ids) {
    const keys = (['plain', 'strict'] as const).map((numbers) => nodeLine(person(id, numbers)).split('\t')[0])
    expect(keys[0]).toBe(keys[1])
  }
})

test('an id that is a plain list has one line, whoever notes it', () => {
  const [pair, kept] = [false, true].map((list) => nodeLine({ ...person(1n), id: { json: '[1,2]', wrap: null, list } }))
  expect(pair).toBe(kept)
})

test('a label that is called __proto__ counts among the indices', () => {
  const of = (idProperty: string) => {
    const indices = noIndices()
    addIndices(indices, { labels: JSON.parse(`{"__proto__":"${idProperty}"}`), defaults: [] })
    return textOfIndices(indices)
  }
  expect(of('a')).not.toBe(of('b'))
})

test('a run reads the digests of a base itself if another run has failed to', async () => {
  const cache = createDigestCache()
  const state = { sha256: 'same' }
  async function* removed(): AsyncGenerator<Buffer> {
    yield await Promise.reject(new Error('the other packet has been removed'))
  }
  async function* there() {
    yield Buffer.alloc(16, 7)
  }
  const [first, second] = await Promise.allSettled([cache.of(state, removed()), cache.of(state, there())])
  expect(first.status).toBe('rejected')
  expect(second.status === 'fulfilled' && second.value.known.has(Buffer.alloc(16, 7))).toBe(true)
})
