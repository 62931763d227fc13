import { inject } from 'vitest'
import { testUndoneKills } from '../../faults/suites/undone-kills.ts'

const isLong = inject('isLong')

await testUndoneKills({ database: 'Neo4j 5', lanes: 1, step: isLong ? 1 : 8 })
await testUndoneKills({ database: 'Neo4j 3.5', lanes: 4, step: isLong ? 1 : 14 })
