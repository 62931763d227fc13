import { inject } from 'vitest'
import { testCorruptedRecords } from '../../../unit/packet/packstream/corrupted-records.ts'

testCorruptedRecords(inject('isLong') ? { values: 1_000_000, records: 10_000 } : { values: 15_000, records: 100 })
