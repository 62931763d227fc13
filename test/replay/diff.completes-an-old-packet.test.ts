import { testDifferences } from './suites/differences.ts'

await testDifferences('FewDiff', 1_550_000n, 1)
