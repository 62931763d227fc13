import { testDryRuns } from './suites/dry-runs.ts'

await testDryRuns('FewDry', 1_600_000n, { cases: 12 })
