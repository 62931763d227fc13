import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export type Ring = 'inner' | 'outer'

/** The outer ring is this folder: what takes long. All other tests are the inner ring. */
export const outerFolder = 'test/endurance/'

export const ringOf = (file: string): Ring => (file.startsWith(outerFolder) ? 'outer' : 'inner')

/** Where a run of a ring writes its results. */
export const resultsOf: Record<Ring, string> = {
  inner: join(root, '.local/test-results.json'),
  outer: join(root, '.local/test-results-rest.json'),
}

/** `N passed, N failed`, summed over files of results. @throws Error if a file is missing */
export function closingLine(...files: readonly string[]): string {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const file of files) {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(file, 'utf8'))
    sum.passed += numPassedTests
    sum.failed += numFailedTests
    sum.skipped += numPendingTests
  }
  return `${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`
}
