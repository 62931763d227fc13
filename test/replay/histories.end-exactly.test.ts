import { testHistories } from './suites/histories.ts'

testHistories(6)
