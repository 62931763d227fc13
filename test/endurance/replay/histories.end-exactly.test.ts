import { inject } from 'vitest'
import { testHistories } from '../../replay/suites/histories.ts'

testHistories(inject('isLong') ? 500 : 12, inject('asked').seed)
