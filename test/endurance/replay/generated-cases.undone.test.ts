import { inject } from 'vitest'
import { testUndone } from '../../replay/suites/undone.ts'

// Neo4j 5 plans each new text for long.
await testUndone('Undo', 1_050_000n, inject('isLong') ? { neo4j5: 200, neo4j35: 200 } : { neo4j5: 3, neo4j35: 8 })
