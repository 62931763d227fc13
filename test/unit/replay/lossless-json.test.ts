import { expect, test } from 'vitest'
import { parseLossless, stringifyLossless } from '../../../shared/replay/lossless-json.ts'

test.each(['1', '1.0', '-0.0', '9007199254740993', '1e400', '-1e400'])('%s is read back as the same value', (text) => {
  const value = parseLossless(text)
  expect(parseLossless(stringifyLossless(value))).toBe(value)
})

test.each(['9223372036854775808', '-9223372036854775809', '18446744073709551621'])('%s is refused', (text) => {
  expect(() => parseLossless(`{"id": ${text}}`)).toThrow(`${text} is no 64-bit integer`)
})
