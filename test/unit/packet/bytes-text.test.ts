import { expect, test } from 'vitest'
import { bytesText } from '../../../packet/bytes-text.ts'

test.each([
  [62_914_560, '60 MiB'],
  [1_048_576, '1 MiB'],
  [1_048_577, '1,048,577 bytes'],
  [16_384, '16 KiB'],
  [4_000, '4,000 bytes'],
  [0, '0 bytes'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
