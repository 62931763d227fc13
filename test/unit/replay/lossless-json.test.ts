import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLossless, stringifyLossless } from '../../../packet/lossless-json.ts'

test.each(['1', '1.0', '-0.0', '9007199254740993', '1e400', '-1e400'])('%s is read back as the same value', (text) => {
  const value = parseLossless(text)
  expect(parseLossless(stringifyLossless(value))).toBe(value)
})

test.each(['9223372036854775808', '-9223372036854775809', '18446744073709551621'])(
  'the integer %s, which exceeds 64 bits, is refused',
  (text) => {
    expect(() => parseLossless(`{"id": ${text}}`)).toThrow(`${text} is not a 64-bit integer`)
  },
)

/** What the literals say, read by a reviver. */
const byReviver = (text: string): unknown =>
  JSON.parse(text, (_key, value, ...[context]: [{ source?: string }?]) => {
    const source = context?.source
    return typeof value === 'number' && source && !/[.eE]/.test(source) ? BigInt(source) : value
  })

const outcomeOf = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    return (error as Error).name
  }
}

const literals = [
  ...['0', '-0', '1', '-1', '9007199254740991', '9007199254740992', '-9007199254740993', '9223372036854775807'],
  ...['1.0', '-0.0', '1.5', '1e3', '1E+3', '15e-1', '1e400', '1e-400', '123456789012345.99999999', '5e-324'],
  ...['01', '01.0', '1.', '.5', '+1', '1.0.0', '1e', '-', '1-1', '1.0e1e1'],
]
const texts = ['1.0', ':1.0,', 'a"1.0', '\\', '\\"1', '\u2028', '"', '__proto__', 'id']
const strings = texts.map((one) => JSON.stringify(one))
const token = fc.constantFrom(...literals, ...strings, 'true', 'null')
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    token,
    fc.array(tie('json'), { maxLength: 4 }).map((all) => `[ ${all.join(' ,')}]`),
    fc.array(fc.tuple(token, tie('json')), { maxLength: 4 }).map((all) => `{${all.map((one) => one.join(': '))}}`),
  ),
}))

test('JSON is read as its literals say, and what is none is refused', () => {
  fc.assert(
    fc.property(json, (text) => {
      expect(outcomeOf(() => parseLossless(text))).toEqual(outcomeOf(() => byReviver(text)))
    }),
    { numRuns: 3_000 },
  )
})
