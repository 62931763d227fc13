import { testUndone } from './suites/undone.ts'

await testUndone('FewUndo', 1_700_000n, { neo4j5: 1, neo4j35: 4 })
