import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ring, ringOf } from '../rings.ts'

/** A mistake made on purpose in one file of the product, and the tests that should fail because of it. */
export interface Mutant {
  file: string
  /** What a user would suffer. */
  what: string
  /** Text that occurs once in the file, and its replacement. */
  from: string
  to: string
  /** Words as of `npm test -- <words>`: the files of either ring whose path holds one of them are run. */
  tests: readonly string[]
  /** Why no test can fail, for a mutant that is known to survive. */
  survives?: string
}

/** The text of the mutant's file with the mistake. @throws Error if `from` does not occur exactly once. */
export function mutatedText({ file, from, to }: Mutant, root: string): string {
  const parts = readFileSync(join(root, file), 'utf8').split(from)
  if (parts.length !== 2) throw new Error(`${file}: must occur once, occurs ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}

/** All test files of both rings. */
export const testFilesIn = (root: string): string[] => globSync('test/**/*.test.ts', { cwd: root })

/** The words of these mutants that the path of none of the test files holds. */
export function unmatchedWords(mutants: readonly Mutant[], files: readonly string[]): string[] {
  return mutants.flatMap(({ tests }) => tests).filter((word) => !files.some((file) => file.includes(word)))
}

/** The rings that have test files whose path holds one of the words; the inner ring comes first. */
export function ringsOf(words: readonly string[], files: readonly string[]): Ring[] {
  const found = files.filter((file) => words.some((word) => file.includes(word))).map(ringOf)
  return (['inner', 'outer'] as const).filter((ring) => found.includes(ring))
}
