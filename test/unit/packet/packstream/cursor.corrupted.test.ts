import { expect, test } from 'vitest'
import { recordOf } from '../../../support/origins/packstream.ts'
import { busySeconds } from '../../../support/programs/busy-seconds.ts'
import { head } from './bytes.ts'
import { outcomeOf, testCorruptedRecords } from './corrupted-records.ts'

testCorruptedRecords({ values: 1_500, records: 10 })

test.each([
  ['that nests lists without end', 0x91],
  ['that nests maps without end', 0xa1],
  ['that nests structures without end', 0xb1],
  ['of empty texts', 0x80],
  ['of empty lists', 0x90],
])('a record %s is refused in time that is linear in its length', (_, byte) => {
  const secondsOf = (length: number) => {
    const value = Buffer.concat([head(0xd6, 4, length), Buffer.alloc(length, byte)])
    const row = recordOf([Buffer.of(1), Buffer.of(0x90), Buffer.concat([Buffer.of(0xa2, 0x81, 0x61), value])])
    return busySeconds(() => expect(outcomeOf(row, 0, row.length)).toBe('refused'))
  }
  // Quadratic time would take minutes.
  expect(secondsOf(3_000_000)).toBeLessThan(3)
})
