import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutatedText, unmatchedWords } from '../mutate/mutant.ts'
import { mutants } from '../mutate/mutants.ts'

const root = join(import.meta.dirname, '../..')

test.each(mutants)('$file: $what', (mutant) => {
  expect(() => mutatedText(mutant, root)).not.toThrow()
  expect(mutant.to).not.toBe(mutant.from)
  expect(unmatchedWords([mutant], root)).toEqual([])
})
