import { parseArgs } from 'node:util'
import { runFile } from './run-file.ts'

/**
 * Runs more generated cases than the two rings of tests: `npm run fuzz -- --cases 5000`, into Neo4j 5, or with `--syntax braces`
 * into Neo4j 3.5. A failure prints the options that reproduce its smallest case;
 * `--situation '<name>'` draws only cases in which the oracle foresees it. `--masked` runs cases with masks instead, which
 * take `--cases` and `--seed`.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    path: { type: 'string' },
    situation: { type: 'string' },
    syntax: { type: 'string', default: 'dollar' },
    masked: { type: 'boolean', default: false },
  },
})
const files = {
  dollar: 'endurance/replay/generated-cases.into-neo4j-5',
  braces: 'endurance/replay/generated-cases.into-neo4j-3-5',
}
if (!Object.hasOwn(files, values.syntax)) throw new Error('--syntax must be dollar or braces')
if (values.masked && (values.path !== undefined || values.situation !== undefined || values.syntax !== 'dollar'))
  throw new Error('--masked takes only --cases and --seed')
const file = values.masked ? 'endurance/replay/masked' : files[values.syntax as keyof typeof files]
const asked = {
  cases: Number(values.cases),
  ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
  ...(values.path === undefined ? {} : { path: values.path }),
  ...(values.situation === undefined ? {} : { situation: values.situation }),
}

runFile(file, { name: 'FUZZ', values: asked })
