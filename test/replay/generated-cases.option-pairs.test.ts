import { testOptionPairs } from './suites/option-pairs.ts'

// One option and one pair of options with each base.
await testOptionPairs('FewPairs', 1_650_000n, { options: 30, pairs: 66 })
