import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longest } from '../support/setup/longest-first.ts'

test('every file in the list of the longest exists', () => {
  const root = join(import.meta.dirname, '../..')
  expect(longest.filter((file) => !existsSync(join(root, file)))).toEqual([])
})
