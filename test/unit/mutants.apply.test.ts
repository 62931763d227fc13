import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutatedText, ringsOf, testFilesIn, unmatchedWords } from '../mutate/mutant.ts'
import { mutants } from '../mutate/mutants.ts'

const root = join(import.meta.dirname, '../..')
const files = testFilesIn(root)

test.each(mutants)('$file: $what', (mutant) => {
  expect(() => mutatedText(mutant, root)).not.toThrow()
  expect(mutant.to).not.toBe(mutant.from)
  expect(unmatchedWords([mutant], files)).toEqual([])
})

test('the documented score is that of all mutants', () => {
  const text = readFileSync(join(root, 'docs/testing.md'), 'utf8').replaceAll('\n', ' ')
  const [, killed, all] = /: (\d+) of (\d+) mutants killed/.exec(text) ?? []
  const survivors = mutants.filter(({ survives }) => survives !== undefined)
  expect([Number(killed), Number(all)]).toEqual([mutants.length - survivors.length, mutants.length])
  const [, inner] = /tests of the inner ring for (\d+) of them/.exec(text) ?? []
  expect(Number(inner)).toBe(mutants.filter(({ tests }) => ringsOf(tests, files).includes('inner')).length)
})
