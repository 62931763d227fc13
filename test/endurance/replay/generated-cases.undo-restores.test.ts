import { inject } from 'vitest'
import { testUndone } from '../../replay/suites/undone.ts'

// Neo4j 5 takes long to plan each new text.
await testUndone('Undo', 1_050_000n, inject('isLong') ? { neo4j5: 200, neo4j35: 200 } : { neo4j5: 2, neo4j35: 4 })
