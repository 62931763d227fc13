import { testUndoRestores } from './suites/undo-restores.ts'

// More relationships than fit in one part.
await testUndoRestores('Neo4j 3.5', 5_100)
