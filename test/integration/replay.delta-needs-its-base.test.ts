import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { claimMarker, createMarker, readMarkers } from '../../client/replay/base/marker.ts'
import type { ReplayOptions } from '../../client/replay/replay.ts'
import { connect } from '../../client/replay/run/connection.ts'
import type { Chain, PacketSource, PartSource } from '../../client/replay/source/load-part.ts'
import { dryRun } from '../../client/replay/verify/verify.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { Pair } from '../../packet/parts/parse-part.ts'
import {
  pairOf,
  partsWithManifest,
  replayed,
  targetOf,
  undone,
  usualComparison,
  verified,
} from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const directory = await mkdtemp(join(tmpdir(), 'base-'))
afterAll(() => rm(directory, { recursive: true }))

describe.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])('%s', (_, address) => {
  const driver = openDriver(address)
  const label = uniqueName('Delta')
  const name = `acme/${label}.json`
  const recordFile = join(directory, `${label}.target`)
  const digest = (state: string) => Buffer.from(`${label}${state}`).toString('hex').padEnd(64, '0')
  afterAll(() => driver.close())
  afterEach(async () => {
    await rm(recordFile, { force: true })
    await run(
      driver,
      `MATCH (n) WHERE n:\`${label}\` OR (n:PacketsState AND n.root STARTS WITH '${name}') DETACH DELETE n`,
    )
  })

  const upsert = (id: string, value: string): Pair =>
    pairOf(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`value\`: $value}`, { id, value })
  const deletion = (...ids: string[]) =>
    pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids })
  const chained = (chain: Omit<Chain, 'packet' | 'undoes'>, ...pairs: Pair[]): PacketSource => ({
    ...partsWithManifest([{ label, property: 'id' }], ...pairs.map((pair) => [pair])),
    chain: { packet: name, ...chain, undoes: null },
  })
  const whole = (state: string, ...pairs: Pair[]) => chained({ base: null, state: digest(state) }, ...pairs)
  const delta = (from: string, to: string, ...pairs: Pair[]) =>
    chained({ base: { packet: name, state: digest(from) }, state: digest(to) }, ...pairs)
  const s0 = whole('s0', upsert('a', '0'), upsert('b', '0'), upsert('gone', '0'))
  const s0to1 = delta('s0', 's1', deletion('gone'), upsert('a', '1'), upsert('b', '1'), upsert('c', '1'))
  const s1to2 = delta('s1', 's2', upsert('c', '2'))
  const s0to9 = delta('s0', 's9', upsert('a', '9'))

  const options = { createConstraints: true, windowBytes: 1, batchRows: 1, lanes: 1 }
  const into = (source: PacketSource, more: Partial<ReplayOptions> = {}) =>
    replayed(source, address, { ...options, ...more })
  const values = async () =>
    Object.fromEntries(await run(driver, `MATCH (n:\`${label}\`) RETURN n.id, n.value ORDER BY n.id`))
  const marker = async () =>
    (
      await run(
        driver,
        `MATCH (m:PacketsState) WHERE m.root = '${name}' RETURN m.state, m.to, m.counter, size(m.origin)`,
      )
    )[0]
  /** Ends the replay when it has committed this many transactions. */
  async function killed(source: PacketSource, after: number, more: Partial<ReplayOptions> = {}) {
    const kill = new AbortController()
    const onProgress = ({ transactions }: { transactions: number }) => transactions === after && kill.abort()
    await expect(into(source, { ...more, onProgress, signal: kill.signal })).rejects.toMatchObject({
      kind: 'interrupted',
    })
  }
  const refused = (text: string) => ({ kind: 'refused', message: expect.stringContaining(text) })

  test('a delta is refused if nothing shows that the target has its base, unless the user insists', async () => {
    await expect(into(s0to1, { recordFile })).rejects.toMatchObject(refused('and nothing shows that it does'))
    const dry = dryRun(s0to1, targetOf(address), { ...usualComparison, createConstraints: true, recordFile })
    await expect(dry).rejects.toMatchObject(refused(`is a delta: the target must have the state`))
    expect([await values(), existsSync(recordFile)]).toEqual([{}, false])
    await into(s0to1, { recordFile, ignoreBase: true })
    expect(await values()).toEqual({ a: '1', b: '1', c: '1' })
    await into(s1to2, { recordFile })
  })

  test('a client remembers what it has replayed: deltas follow in their order, each once or again', async () => {
    await into(s0, { recordFile })
    const dry = await dryRun(s0to1, targetOf(address), { ...usualComparison, createConstraints: true, recordFile })
    expect(dry.differing).toBe(4)
    for (const source of [s0to1, s0to1, s1to2]) await into(source, { recordFile })
    expect(await values()).toEqual({ a: '1', b: '1', c: '2' })
    await expect(into(s0to1, { recordFile })).rejects.toMatchObject(
      refused(`it has the state ${digest('s2').slice(0, 12)}`),
    )
    await expect(into(s1to2)).rejects.toMatchObject(refused('nothing shows'))
    expect(await marker()).toBeUndefined()
    expect(await readFile(recordFile, 'utf8')).not.toContain(address.boltUrl)
  })

  test('a marker in the target tells every client what the target has, and disturbs no comparison', async () => {
    await into(s0, { record: true })
    expect(await marker()).toEqual([digest('s0'), null, 1n, 36n])
    await into(s0to1, { recordFile })
    expect(await marker()).toEqual([digest('s1'), null, 2n, 36n])
    expect(await verified(s0to1, address)).toMatchObject({ differing: 0 })
    await expect(into(s0to9)).rejects.toMatchObject(refused('it has the state'))
    // Who empties or restores the target takes the marker away, whatever a client remembers.
    await run(driver, `MATCH (m:PacketsState) WHERE m.root = '${name}' DELETE m`)
    await expect(into(s1to2, { recordFile })).rejects.toMatchObject(refused('the marker that it had is gone'))
  })

  test.each(['marker', 'record'])(
    'a delta that was killed is continued, and no other is replayed meanwhile: %s',
    async (by) => {
      const more = by === 'marker' ? { record: true } : { recordFile }
      await into(s0, more)
      await killed(s0to1, 2, more)
      if (by === 'marker') expect(await marker()).toEqual([digest('s0'), digest('s1'), 2n, 36n])
      for (const source of [s0to9, s1to2])
        await expect(into(source, more)).rejects.toMatchObject(refused('a replay that has not ended'))
      await into(s0to1, more)
      expect(await values()).toEqual({ a: '1', b: '1', c: '1' })
      await into(s1to2, more)
      // A whole packet needs no base. Until it has ended, the target has no state.
      await killed(s0, 1, more)
      await expect(into(s1to2, more)).rejects.toMatchObject(
        refused('a replay that has not ended, from the state unknown'),
      )
      await into(s0, more)
      await into(s0to9, more)
    },
  )

  test('a replay writes nothing more when another one has begun', async () => {
    await into(s0, { record: true })
    const others = Promise.withResolvers<void>()
    const parts = s0to1.parts.with(3, {
      ...(s0to1.parts[3] as PartSource),
      // While this replay waits for its last part, another client replays the whole delta, and then the next one.
      async read(signal) {
        for (const source of [s0to1, s1to2]) await into(source)
        others.resolve()
        return (s0to1.parts[3] as PartSource).read(signal)
      },
    })
    await expect(into({ ...s0to1, parts })).rejects.toMatchObject({
      kind: 'failed',
      message: `another replay on ${name} has begun at the target; begin again when it has ended`,
    })
    // A part that was still being written may have ended the replay before the other client was done.
    await others.promise
    expect(await values()).toEqual({ a: '1', b: '1', c: '2' })
    expect(await marker()).toEqual([digest('s2'), null, 4n, 36n])
  })

  test('of replays that begin at the same time, at most one takes the marker', async () => {
    const connection = connect(targetOf(address))
    onTestFinished(() => connection.close())
    const held = { root: name, packet: name, state: digest('s0'), to: null }
    const { signal } = new AbortController()
    const made = await Promise.allSettled([1, 2, 3].map(() => createMarker(connection, held, signal)))
    const markers = async () => (await readMarkers(connection, signal)).filter(({ root }) => root === name)
    const first = await markers()
    expect(first.length).toBe(made.filter(({ status }) => status === 'fulfilled').length)
    expect(first.length).toBeLessThan(2)

    const read = first[0] ?? (await createMarker(connection, held, signal))
    const claims = await Promise.allSettled([1, 2, 3].map(() => claimMarker(connection, read, held, signal)))
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await markers()).toEqual([{ ...read, counter: 2n }])
  })

  test('an undo takes the target back to the state before, and an undone whole packet leaves none', async () => {
    const more = { record: true, recordFile }
    const [first, second] = [join(directory, `${label}-0`), join(directory, `${label}-1`)]
    await into(s0, { ...more, undoDirectory: first })
    const before = await values()
    await into(s0to1, { ...more, undoDirectory: second })
    await undone(second, address)
    expect(await values()).toEqual(before)
    expect(await marker()).toEqual([digest('s0'), null, 3n, 36n])
    await into(s0to9, more)
    await into(s0, more)
    await undone(first, address)
    expect([await values(), await marker()]).toEqual([{}, undefined])
  })

  test('a target that has refused a pair does not have the state', async () => {
    await into(s0, { record: true })
    const bad = pairOf(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`value\`: $value}`, {
      id: 'x',
      value: {},
    })
    const report = await into(delta('s0', 's1', upsert('a', '1'), bad), { rejected: () => {} })
    expect(report.rejected).toBe(1)
    expect(await marker()).toEqual([digest('s0'), digest('s1'), 2n, 36n])
  })
})
