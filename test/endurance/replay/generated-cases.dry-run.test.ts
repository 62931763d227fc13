import { inject } from 'vitest'
import { testDryRuns } from '../../replay/suites/dry-runs.ts'

await testDryRuns('Dry', 1_150_000n, { cases: inject('isLong') ? 500 : 10, ...inject('asked') })
