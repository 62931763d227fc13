import { expect, test } from 'vitest'
import { textOf } from '../support/documents/manifests.ts'

test('README.md is at most 10 KB', () => {
  expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(10 * 1_024)
})
