import { testCases } from './suites/cases.ts'

await testCases('FewThree', 1_850_000n, 'braces', { cases: 6 })
