import { inject } from 'vitest'
import { testPages } from '../../../unit/storage/suites/pages.ts'

testPages(inject('isLong') ? 3_000 : 300)
