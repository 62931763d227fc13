import { inject } from 'vitest'
import { testHistories } from '../../replay/suites/histories.ts'

testHistories(inject('isLong') ? 500 : 6, inject('asked').seed)
