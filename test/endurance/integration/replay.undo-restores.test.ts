import { inject } from 'vitest'
import { testUndoRestores } from '../../integration/suites/undo-restores.ts'

await testUndoRestores('Neo4j 5', inject('isLong') ? 50_000 : 7_000)
