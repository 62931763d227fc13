import { inject } from 'vitest'
import { testKilledReplays } from '../../faults/suites/killed-replays.ts'

// Each kill costs a process; the long form kills after every single transaction.
const isLong = inject('isLong')

await testKilledReplays({ database: 'Neo4j 5', lanes: 1, step: isLong ? 1 : 5 })
await testKilledReplays({ database: 'Neo4j 3.5', lanes: 4, step: isLong ? 1 : 9 })
