import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export type Ring = 'inner' | 'outer'

/** The outer ring is this folder: what takes long. All other tests are the inner ring. */
export const outerFolder = 'test/endurance/'

export const ringOf = (file: string): Ring => (file.startsWith(outerFolder) ? 'outer' : 'inner')

/** The file that a run of a ring writes its results to. */
export const resultsOf: Record<Ring, string> = {
  inner: '.local/test-results.json',
  outer: '.local/test-results-rest.json',
}

/** `N passed, N failed`, summed over the last runs of these rings. @throws Error if a ring has no results */
export function closingLine(...rings: readonly Ring[]): string {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const ring of rings) {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(
      readFileSync(join(root, resultsOf[ring]), 'utf8'),
    )
    sum.passed += numPassedTests
    sum.failed += numFailedTests
    sum.skipped += numPendingTests
  }
  return `${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`
}
