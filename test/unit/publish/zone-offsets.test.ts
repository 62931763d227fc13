import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { isPublishable, type Kind } from '../../../packet/packstream/kinds.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { readProperties, sourceOf } from '../../../shared/origin/properties.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { completeZones } from '../../../shared/read/zone-offsets.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { driverOf, rowsOf } from '../../support/origins/packstream.ts'

const noon = (offset?: bigint, zone?: string) =>
  new neo4j.types.DateTime(2024n, 7n, 1n, 12n, 0n, 0n, 0n, offset, zone as string)

/**
 * The properties of a node that Bolt sends with a zone but no offset, completed by the answers of the origin; null if
 * the node no longer exists.
 */
async function completed(version: '3' | '4x2', values: object, answers: readonly (readonly unknown[])[]) {
  const driver = driverOf(version)
  const rows = rowsOf([[values]], driver)
  const [source, shapes, cursor] = [sourceOf(rows), new Shapes(), originCursor()]
  cursor.openRecord(rows.bytes, 0, rows.end(0))
  const element = { properties: readProperties(cursor, shapes, source) }
  const origin = answeringOrigin(() => answers, driver)
  return (await completeZones(origin, 'node', 1, element, source, shapes)) ? element.properties : null
}

test.each(['3', '4x2'] as const)(
  'a list of a datetime at an offset and one in a zone over Bolt %s keeps the first as it is',
  async (version) => {
    const values = { at: [noon(3_600n), noon(undefined, 'Europe/Berlin')], name: 'x' }
    const properties = await completed(version, values, [[values.at, [3_600n, 7_200n]]])
    expect(JSON.parse(properties?.rendered(0, 'plain').json ?? '')).toEqual([
      '2024-07-01T12:00:00+01:00',
      { epochSeconds: 1_719_828_000, nanosecond: 0, timezone: 'Europe/Berlin' },
    ])
    expect(properties?.text('name')).toBe('x')
  },
)

test.each([
  ['an offset beyond a day', [7_200n, 86_401n]],
  ['an offset before a day', [-86_401n, 7_200n]],
  ['fewer offsets than datetimes', [7_200n]],
  ['more offsets than datetimes', [7_200n, 7_200n, 7_200n]],
])('datetimes for which the origin answers with %s cannot be published', async (_, offsets) => {
  const values = { at: [noon(undefined, 'Europe/Berlin'), noon(undefined, 'Europe/Rome')] }
  const shape = (await completed('3', values, [[values.at, offsets]]))?.shape
  expect([shape?.keys, isPublishable(shape?.kinds[0] as Kind)]).toEqual([['at'], false])
})

test('a datetime that has changed since is read with the offset of its own, not completed with a later one', async () => {
  const winter = new neo4j.types.DateTime(2024n, 12n, 1n, 12n, 0n, 0n, 0n, undefined as never, 'Europe/Berlin')
  const properties = await completed('3', { at: noon(undefined, 'Europe/Berlin') }, [[winter, [3_600n]]])
  expect(JSON.parse(properties?.rendered(0, 'plain').json ?? '')).toMatchObject({ epochSeconds: 1_733_050_800 })
})

test.each([
  ['a text', 'soon', []],
  ['nothing', null, null],
])('a datetime that has become %s since is published as what it is now', async (_, value, offsets) => {
  const properties = await completed('3', { at: noon(undefined, 'Europe/Berlin') }, [[value, offsets]])
  expect([properties?.value('at'), properties?.shape.keys]).toEqual([value, value === null ? [] : ['at']])
})

test('an element that no longer exists has no offsets, and is left out', async () => {
  expect(await completed('3', { at: noon(undefined, 'Europe/Berlin') }, [])).toBeNull()
})
