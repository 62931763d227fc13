import { testKilledReplays } from './suites/killed-replays.ts'

// About three kills.
await testKilledReplays({ database: 'Neo4j 3.5', lanes: 4, step: 12 })
