import { testMasked } from './suites/masked.ts'

await testMasked('FewMasked', 1_900_000n, { cases: 5 })
