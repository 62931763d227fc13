import { inject, test } from 'vitest'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { alphabetOf } from './generator/alphabet.ts'
import { type CaseOptions, checkCases, timeLimitMs } from './run/check-cases.ts'
import { openWorld } from './run/open-world.ts'

const { neo4j, legacy } = inject('stack') as { neo4j: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const world = await openWorld({
  names: alphabetOf('Three', 350_000n),
  apiUrl,
  token: tokens.all as string,
  origin: neo4j,
  copy: legacy,
  parameterSyntax: 'braces',
})
const asked: CaseOptions = { cases: 50, ...inject('asked') }

test('generated cases replay onto a dirty Neo4j 3.5 as specification and contract say, in any order', {
  timeout: timeLimitMs(asked),
}, async () => {
  await checkCases(world, asked, () => {})
})
