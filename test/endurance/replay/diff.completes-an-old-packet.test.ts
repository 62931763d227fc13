import { inject } from 'vitest'
import { testDifferences } from '../../replay/suites/differences.ts'

await testDifferences('Diff', 560_000n, inject('isLong') ? 500 : 1)
