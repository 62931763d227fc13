import { testMasked } from '../../replay/suites/masked.ts'

await testMasked('Masked', 2_100_000n, 30)
