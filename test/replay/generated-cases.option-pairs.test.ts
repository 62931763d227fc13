import { testOptionPairs } from './suites/option-pairs.ts'

// Two options and two pairs of options with each base.
await testOptionPairs('FewPairs', 1_650_000n, { options: 15, pairs: 33 })
