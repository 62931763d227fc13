import { testDuplicates } from './suites/duplicates.ts'

await testDuplicates(3)
