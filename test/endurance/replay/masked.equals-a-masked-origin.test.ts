import { inject } from 'vitest'
import { testMasked } from '../../replay/suites/masked.ts'

await testMasked('Masked', 2_100_000n, { cases: inject('isLong') ? 1_000 : 10, ...inject('asked') })
