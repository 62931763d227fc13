import { inject } from 'vitest'
import { testValuesFromBytes } from '../../../../unit/packet/values/values-from-bytes.ts'

testValuesFromBytes(inject('isLong') ? 1_000_000 : 30_000)
