import { testCases } from './suites/cases.ts'

await testCases('FewFive', 1_800_000n, 'dollar', { cases: 12 })
