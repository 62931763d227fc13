import { afterEach, expect, test, vi } from 'vitest'
import { kind } from '../../../../packet/packstream/kinds.ts'
import { passValue } from '../../../../packet/packstream/pass-value.ts'
import { asTenant } from '../../../../shared/lifecycle/current-tenant.ts'
import { driverOf, propertiesOf } from '../../../support/origins/packstream.ts'
import { broke, expectAtEnd, expectRefused, integer64, open, structure, text } from './bytes.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const kindIn = (zone: string) => passValue(open(structure(0x69, integer64(0n), integer64(0n), text(zone))))

test('an origin that names more than 1,000 zones in a second is refused, and any zone is known in the next one', () => {
  const clock = vi.spyOn(performance, 'now')
  // Other tests of this process may have named zones, too.
  const start = performance.now() + 1_001
  clock.mockReturnValue(start)
  for (let index = 0; index < 1_000; index++) expect(kindIn(`No/Zone${index}`)).toBe(kind.other)
  expect(() => kindIn('No/Zone1000')).toThrow(broke)
  expect(() => kindIn('No/Zone1001')).toThrow(broke)
  clock.mockReturnValue(start + 1_001)
  for (const zone of ['Europe/Berlin', 'Europe/Rome']) expect(kindIn(zone)).toBe(kind.dateTimeByFields)
  expect(kindIn('No/Zone1000')).toBe(kind.other)
})

test('zones that the origin of one tenant names do not count for another tenant', () => {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000)
  const naming = (tenant: string, zone: string) => asTenant(tenant, () => kindIn(zone))
  for (let index = 0; index < 1_000; index++) naming('one', `No/OtherZone${index}`)
  expect(() => naming('one', 'Europe/Oslo')).toThrow(broke)
  expect(naming('another', 'Europe/Oslo')).toBe(kind.dateTimeByFields)
})

test('a UUID is passed to its end, and is named as the driver names it', () => {
  const uuid = Buffer.concat([Buffer.of(0xe0), Buffer.from('00112233445566778899aabbccddeeff', 'hex')])
  const cursor = open(uuid)
  expect(passValue(cursor)).toBe(kind.uuid)
  expectAtEnd(cursor)
  expectRefused(uuid.subarray(0, -1), passValue)
  const { pack, unpack } = driverOf('6x1')
  const driver = { pack: (value: unknown) => (value === uuid ? uuid : pack(value)), unpack }
  const properties = propertiesOf({ id: uuid, after: 'x' }, driver)
  expect(properties.typeName(0)).toBe('uuid, which needs the parameterSyntax dollar,')
  expect(properties.text('after')).toBe('x')
  expect(String(properties.value('id'))).toBe('00112233-4455-6677-8899-aabbccddeeff')
})
