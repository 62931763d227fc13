import { afterAll, expect, inject, test } from 'vitest'
import { dryRun } from '../../client/replay/verify/verify.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert } from '../../packet/kinds/node-upsert.ts'
import type { Wrap } from '../../packet/values/values.ts'
import { pairOfStatement, replayed, sourceOf, targetOf, verified } from '../support/replay/replaying.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const targets = [
  { name: 'Neo4j 5', address: target, driver: openDriver(target) },
  { name: 'Neo4j 3.5', address: legacy, driver: openDriver(legacy) },
]
afterAll(() => Promise.all(targets.map(({ driver }) => driver.close())))

const plain = { wrap: null, list: false }

/** A packet of one node with the property `v`. */
function packetOf(label: string, wrap: Wrap, value: unknown, list = false) {
  const fields = [
    { key: 'id', value: plain },
    { key: 'v', value: { wrap, list } },
  ]
  const changes = { protectedKeys: [], added: [], removed: [] }
  const upsert = nodeUpsert({ label, idProperty: 'id', id: plain }, fields, changes)
  return sourceOf([pairOfStatement(upsert, { id: 'a', v: value })])
}

const instant = { epochSeconds: 1_719_828_000n, nanosecond: 0n, timezone: 'Europe/Berlin' }
const changing: [what: string, wrap: Wrap, value: unknown, from: string, to: string, text: string][] = [
  ['zone', 'datetime', instant, 'Europe/Berlin', 'Europe/Lisbon', '"Europe/Berlin"} (datetime), target 2024-07-01T11:'],
  ['date', 'date', '2024-07-01', '2024-07-01', '2024-07-02', '"2024-07-01" (date), target 2024-07-02 (date)'],
  ['time', 'time', '12:00:00.5+02:00', '.5+02:00', '.5+01:00', '(time), target 12:00:00.500000000+01:00 (time)'],
]

test.each(
  targets.flatMap(({ name, address, driver }) => changing.map((one) => [name, address, driver, ...one] as const)),
)(
  '%s behind a proxy that changes a value does not agree with itself, but differs from the packet: $3',
  async (_name, address, driver, _what, wrap, value, from, to, text) => {
    const label = uniqueName('Changed')
    await using proxy = await startProxy(address.boltUrl, (bytes) =>
      Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1'),
    )
    const changed = { ...address, boltUrl: proxy.boltUrl }
    for (const list of [false, true]) {
      const source = packetOf(label, wrap, list ? [value] : value, list)
      await replayed(source, changed, { createConstraints: true })
      const { differing, first } = await verified(source, changed)
      expect(differing).toBe(1)
      expect(first[0]?.text).toContain(list ? ' (list)' : text)
      // What the same target has without the proxy agrees.
      await replayed(source, address)
      expect(await verified(source, address)).toMatchObject({ differing: 0 })
    }
    await run(driver, `MATCH (n:\`${label}\`) DELETE n`)
  },
)

test.each(targets)('datetimes at every distance from 1970 replay and compare: $name', async ({ address, driver }) => {
  const label = uniqueName('Far')
  for (const value of [
    '+292278994-08-17T07:12:56Z'.replace('Z', '+00:00'),
    '+999999999-12-31T23:59:59.999999999-18:00',
    '-999999999-01-01T00:00:00+18:00',
    '2024-07-01T12:00:00+02:00',
  ]) {
    for (const list of [false, true]) {
      const source = packetOf(label, 'datetime', list ? [value] : value, list)
      await replayed(source, address, { createConstraints: true })
      expect(await verified(source, address)).toMatchObject({ differing: 0, first: [] })
      const settings = { lanes: 'auto', batchRows: 1_000, sample: 1, mostShown: 20 } as const
      const { signal } = new AbortController()
      expect(await dryRun(source, targetOf(address), { ...settings, signal })).toMatchObject({ differing: 0 })
      await run(driver, `MATCH (n:\`${label}\`) DELETE n`)
    }
  }
})
