import { inject } from 'vitest'
import { testCases } from '../../replay/suites/cases.ts'

await testCases('Three', 350_000n, 'braces', { cases: inject('isLong') ? 1_000 : 8, ...inject('asked') })
