import { runFile } from './run-file.ts'

/**
 * Tries a database as origin and as target, as docs/databases.md says: `npm run try:database -- 4.2.19`. Fetches the
 * server, runs 300 generated cases in each direction, or as many as a second argument says, and prints its row of the table.
 */
const [server, cases = '300'] = process.argv.slice(2)
if (server === undefined || !/^(arcadedb|\d+\.\d+\.\d+)$/.test(server))
  throw new Error('name a version of Neo4j, such as 4.2.19, or arcadedb')

runFile('endurance/replay/other-databases.origin-and-target', {
  name: 'TRIED',
  values: { server, cases: Number(cases) },
})
