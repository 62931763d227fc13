import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutatedText, testFilesIn, unmatchedWords } from '../mutate/mutant.ts'
import { mutants } from '../mutate/mutants.ts'

const root = join(import.meta.dirname, '../..')
const files = testFilesIn(root)

test.each(mutants)('$file: $what', (mutant) => {
  expect(() => mutatedText(mutant, root)).not.toThrow()
  expect(mutant.to).not.toBe(mutant.from)
  expect(unmatchedWords([mutant], files)).toEqual([])
})
