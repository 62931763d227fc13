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

/** The properties of a node that Bolt sends with a zone but no offset, completed by the answers of the origin. */
async function completed(version: '3' | '4x2', values: object, answers: readonly (readonly unknown[])[]) {
  const driver = driverOf(version)
  const rows = rowsOf([[values]], driver)
  const [source, shapes, cursor] = [sourceOf(rows), new Shapes(), originCursor()]
  cursor.openRecord(rows.bytes, 0, rows.end(0))
  const element = { properties: readProperties(cursor, shapes, source) }
  const origin = answeringOrigin(() => answers, driver)
  await completeZones(origin, 'node', 1, element, source, shapes)
  return element.properties
}

test.each(['3', '4x2'] as const)(
  'a list of a datetime at an offset and one in a zone over Bolt %s keeps the first as it is',
  async (version) => {
    const values = { at: [noon(3_600n), noon(undefined, 'Europe/Berlin')], name: 'x' }
    const properties = await completed(version, values, [[[3_600n, 7_200n]]])
    expect(JSON.parse(properties.rendered(0, 'plain').json)).toEqual([
      '2024-07-01T12:00:00+01:00',
      { epochSeconds: 1_719_828_000, nanosecond: 0, timezone: 'Europe/Berlin' },
    ])
    expect(properties.text('name')).toBe('x')
  },
)

test.each([
  ['an offset beyond a day', [[[7_200n, 86_401n]]]],
  ['an offset before a day', [[[-86_401n, 7_200n]]]],
  ['fewer offsets than datetimes', [[[7_200n]]]],
  ['more offsets than datetimes', [[[7_200n, 7_200n, 7_200n]]]],
  ['no row of offsets', []],
])('datetimes for which the origin answers with %s cannot be published', async (_, answers) => {
  const values = { at: [noon(undefined, 'Europe/Berlin'), noon(undefined, 'Europe/Rome')] }
  const { shape } = await completed('3', values, answers)
  expect([shape.keys, isPublishable(shape.kinds[0] as Kind)]).toEqual([['at'], false])
})
