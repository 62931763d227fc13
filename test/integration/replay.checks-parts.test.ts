import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { PacketSource } from '../../client/replay/replay.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { SourceBroken } from '../../packet/broken.ts'
import { nodeUpsert, partsWithManifest, replayed, sourceOf } from '../support/replay/replaying.ts'

const { target } = inject('stack') as { target: Neo4jAddress }
const driver = openDriver(target)
const label = uniqueName('Checked')
const many = (name: string) => Array.from({ length: 20 }, (_, index) => nodeUpsert(label, `${name}${index}`))
const withManifest = partsWithManifest([{ label, property: 'id' }], many('a'), many('b'), many('c'))
const bare = sourceOf(many('a'), many('b'), many('c'))

beforeAll(() => run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`))
afterAll(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await driver.close()
})

type Change = (stored: Buffer) => Buffer

/** The packet with the stored bytes of its second part changed. */
const changed = (source: PacketSource, change: Change): PacketSource => ({
  ...source,
  parts: source.parts.map((part, index) =>
    index === 1 ? { ...part, read: async (signal) => change(await part.read(signal)) } : part,
  ),
})

const text =
  (change: (text: string) => string): Change =>
  (stored) =>
    Buffer.from(change(stored.toString()))
const flipped: Change = (stored) => {
  const copy = Buffer.from(stored)
  const at = copy.length >> 1
  copy[at] = (copy[at] as number) ^ 0x80
  return copy
}
const cut: Change = (stored) => stored.subarray(0, stored.length - 9)
const swapped: PacketSource = {
  ...withManifest,
  parts: withManifest.parts.map((part, index) => ({
    ...part,
    read: (withManifest.parts[(index + 1) % 3] ?? part).read,
  })),
}
const missing: PacketSource = {
  ...bare,
  parts: bare.parts.map((part, index) =>
    index === 1 ? { ...part, read: () => Promise.reject(new SourceBroken('there is no such file')) } : part,
  ),
}
const { parts } = withManifest
const unhashed = { ...withManifest, parts: parts.map((part) => ({ ...part, sha256: null })) }

const nested = (levels: number) =>
  text((it) => it.replace('{"id":"b3"}', `{"id":${'['.repeat(levels)}${']'.repeat(levels)}}`))

const manifest = / \(people.jsonPart2of3\): sha256 is [0-9a-f]{64}, the manifest says [0-9a-f]{64}; download it again$/

test.each([
  ['a flipped bit', changed(withManifest, flipped), manifest],
  ['a cut part', changed(withManifest, cut), manifest],
  ['swapped parts', swapped, /^part 1 of 3 .*: sha256 is .*; download it again$/],
  ['too few pairs', changed(unhashed, () => Buffer.from('{"statements":[]}')), /has 0 pairs, the manifest says 20/],
  [
    'a flipped bit, without a manifest',
    changed(bare, flipped),
    /^part 2 of 3 \(\.\/packet.jsonPart2of3\): not valid JSON$/,
  ],
  ['a cut part, without a manifest', changed(bare, cut), /not valid JSON$/],
  ['a missing part', missing, /^part 2 of 3 .*: there is no such file$/],
  ['another document', changed(bare, () => Buffer.from('[1]')), /not a JSON object with a list of statements$/],
  [
    'a pair that is none',
    changed(
      bare,
      text((it) => it.replace('{"statement":', '1,{"statement":')),
    ),
    /pair 1 is not a JSON object$/,
  ],
  [
    'a pair without a statement',
    changed(
      bare,
      text((it) => it.replace('"statement"', '"other"')),
    ),
    /pair 1 has no statement$/,
  ],
  [
    'a pair without parameters',
    changed(
      bare,
      text((it) => it.replace('"parameters"', '"other"')),
    ),
    /pair 1 has no parameters$/,
  ],
  [
    'a pair without one of its parameters',
    changed(
      bare,
      text((it) => it.replace('{"id":"b3"}', '{"ID":"b3"}')),
    ),
    /pair 4 has no parameter id$/,
  ],
  [
    'a parameter nested 101 times',
    changed(bare, nested(101)),
    /pair 4 has a parameter nested more than 100 levels deep$/,
  ],
  ['a parameter nested endlessly', changed(bare, nested(200_000)), /nested too deeply$/],
])('%s: the source is broken, and nothing is written', async (_what, source, message) => {
  const replay = replayed(source, target, { createConstraints: true })
  await expect(replay).rejects.toMatchObject({ kind: 'broken', message: expect.stringMatching(message) })
  expect(await run(driver, `MATCH (n:\`${label}\`) RETURN count(n)`)).toEqual([[0n]])
})

test('the same packets are replayed when nothing is broken', async () => {
  const report = { partsDone: 3, rows: 60, counters: expect.objectContaining({ nodesCreated: 60 }) }
  expect(await replayed(withManifest, target)).toMatchObject(report)
  expect(await replayed(bare, target)).toMatchObject({ rows: 60, counters: { nodesCreated: 0 } })
})
