import { inject } from 'vitest'
import { testOptionPairs } from '../../replay/suites/option-pairs.ts'

// Each option and every second pair with one of the bases; in the long form all of them with all bases.
await testOptionPairs('Pairs', 850_000n, inject('isLong') ? { options: 1, pairs: 1 } : { options: 12, pairs: 24 })
