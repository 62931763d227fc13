import { expect, test } from 'vitest'
import { kind, list } from '../../../packet/packstream/kinds.ts'
import { JsonBytes } from '../../../packet/values/json-bytes.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { driverOf } from '../../support/origins/packstream.ts'

const { pack } = driverOf('5x0')
const cursorOf = (value: unknown) => {
  const bytes = pack(value)
  return originCursor().open(bytes, 0, bytes.length)
}

// One to four bytes each, and those that JSON escapes.
const characters = ['a', 'é', '東', '😀', '"', '\\', '\n', '\u0001', '\u007f', '\u2028', '\u0001東']

test.each(characters)('text and strings of %j are written whole, whatever their length', (character) => {
  for (const length of [0, 1, 23, 24, 25, 47, 48, 49, 30_000]) {
    const text = character.repeat(length)
    const bytes = new JsonBytes()
    bytes.text(text)
    bytes.value(cursorOf(text), kind.string, 'plain')
    bytes.value(cursorOf([text, text]), list + kind.string, 'plain')
    const json = JSON.stringify(text)
    expect(bytes.written.equals(Buffer.from(`${text}${json}[${json},${json}]`))).toBe(true)
  }
})

test('integers are written with all their digits, at each power of ten and of two', () => {
  const powers = Array.from({ length: 16 }, (_, digits) => 10n ** BigInt(digits))
  const bits = Array.from({ length: 53 }, (_, bit) => 2n ** BigInt(bit))
  const around = [...powers, ...bits].flatMap((power) => [power - 1n, power, power + 1n])
  for (const value of around.flatMap((one) => [one, -one]).filter((one) => Number.isSafeInteger(Number(one)))) {
    const bytes = new JsonBytes()
    bytes.value(cursorOf(value), kind.safeInteger, 'plain')
    expect(bytes.written.toString()).toBe(String(value))
  }
})

test('what was written is forgotten by clear, however long it was', () => {
  const bytes = new JsonBytes()
  for (const length of [3, 100_000, 5_000_000, 3]) {
    bytes.clear()
    bytes.raw(Buffer.alloc(length, 'x'))
    expect(bytes.written.toString()).toBe('x'.repeat(length))
  }
})
