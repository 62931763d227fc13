import { readFileSync } from 'node:fs'
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

test('the documented score is that of all mutants', () => {
  const [, killed, all] =
    /: (\d+) of (\d+) mutants killed/.exec(readFileSync(join(root, 'docs/testing.md'), 'utf8')) ?? []
  const survivors = mutants.filter(({ survives }) => survives !== undefined)
  expect([Number(killed), Number(all)]).toEqual([mutants.length - survivors.length, mutants.length])
})
