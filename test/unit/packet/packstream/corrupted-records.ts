import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublishable, type Kind } from '../../../../packet/packstream/kinds.ts'
import { JsonBytes } from '../../../../packet/values/json-bytes.ts'
import { AppError } from '../../../../shared/errors/app-error.ts'
import { LabelSets } from '../../../../shared/origin/labels.ts'
import { originCursor } from '../../../../shared/origin/origin-cursor.ts'
import { readProperties } from '../../../../shared/origin/properties.ts'
import { Shapes } from '../../../../shared/origin/shapes.ts'
import { readInternalId } from '../../../../shared/read/internal-ids.ts'
import { driverOf, recordOf } from '../../../support/origins/packstream.ts'
import { anyProperties, anyValue } from '../../any-value.ts'
import { head } from './bytes.ts'

const { pack, unpack } = driverOf('5x0')

const { nested } = fc.letrec((tie) => ({
  nested: fc.oneof(
    { depthSize: 'small' },
    anyValue,
    fc.array(tie('nested'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('nested'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

const [shapes, labels, json] = [new Shapes(), new LabelSets(), new JsonBytes()]

/** Reads a node from a row as a publish does, and writes what can be written. @returns what it has read, or its refusal. */
export function outcomeOf(bytes: Buffer, start: number, end: number): string {
  const cursor = originCursor()
  try {
    cursor.openRecord(bytes, start, end)
    const id = readInternalId(cursor)
    const found = labels.read(cursor)
    const properties = readProperties(cursor, shapes, {
      rows: { bytes: bytes.subarray(0, end), unpack },
      positions: [],
    })
    expect(cursor.at).toBeLessThanOrEqual(end)
    json.clear()
    for (const [index, of] of properties.shape.kinds.entries()) {
      if (isPublishable(of as Kind) && of !== 0) properties.write(index, json, index % 2 === 0 ? 'plain' : 'strict')
    }
    return `${id} ${found.join()} ${properties.shape.keys.join()} ${properties.shape.kinds.join()} ${json.written}`
  } catch (error) {
    if (error instanceof AppError && error.code === 'originBroke') return 'refused'
    throw error
  }
}

/** The outcome, which must be the same whatever is in memory around the record. */
function outcomeWithin(record: Buffer): string {
  const [one, other] = [0x01, 0x81].map((byte) => {
    const around = Buffer.alloc(record.length + 40, byte)
    record.copy(around, 20)
    return outcomeOf(around, 20, 20 + record.length)
  }) as [string, string]
  expect(one).toBe(other)
  return one
}

const record = fc
  .tuple(fc.nat(), fc.constantFrom(['Person'], [], ['A', 'B']), anyProperties(['id', 'a', 'b', 'born']))
  .map(([id, labels, values]) => {
    const entries = [...values].flatMap(([key, value]) => [pack(key), pack(value)])
    return recordOf([pack(BigInt(id)), pack(labels), Buffer.concat([head(0xd8, 1, values.size), ...entries])])
  })

/** Registers the tests of this many values, and of this many records whose every byte is changed. */
export function testCorruptedRecords({ values, records }: { values: number; records: number }): void {
  test('any value is passed exactly to its end', { timeout: 900_000 }, () => {
    fc.assert(
      fc.property(nested, nested, (one, other) => {
        const [first, second] = [pack(one), pack(other)]
        const cursor = originCursor().open(Buffer.concat([first, second]), 0, first.length + second.length)
        cursor.skip()
        expect(cursor.at).toBe(first.length)
        cursor.skip()
        expect(cursor.at).toBe(cursor.end)
      }),
      { numRuns: values },
    )
  })

  test('a record that is cut off anywhere, or has any byte changed, is refused or read within its bounds', {
    timeout: 900_000,
  }, () => {
    let refused = 0
    fc.assert(
      fc.property(record, fc.array(fc.nat(255), { minLength: 12, maxLength: 12 }), (whole, changes) => {
        expect(outcomeWithin(whole)).not.toBe('refused')
        for (let end = 2; end < whole.length; end++) expect(outcomeWithin(whole.subarray(0, end))).toBe('refused')
        for (let at = 2; at < whole.length; at++) {
          const changed = Buffer.from(whole)
          for (const byte of [...changes, 0xcb, 0xd2, 0xd6, 0xda, 0xb3, 0xc0, 0x9f, 0xaf]) {
            changed[at] = byte
            if (outcomeWithin(changed) === 'refused') refused++
          }
        }
      }),
      { numRuns: records },
    )
    expect(refused).toBeGreaterThan(300)
  })
}
