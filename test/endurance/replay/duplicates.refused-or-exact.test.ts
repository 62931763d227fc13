import { inject } from 'vitest'
import { testDuplicates } from '../../replay/suites/duplicates.ts'

await testDuplicates(inject('isLong') ? 100 : 6)
