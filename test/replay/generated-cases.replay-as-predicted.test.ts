import { inject, test } from 'vitest'
import type { Neo4jAddress } from '../stack/stack.ts'
import { alphabetOf } from './generated/alphabet.ts'
import { checkCases } from './generated/check-cases.ts'
import { openWorld } from './generated/open-world.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const world = await openWorld({
  names: alphabetOf('Five', 550_000n),
  apiUrl,
  token: tokens.all as string,
  origin: neo4j,
  copy: target,
  parameterSyntax: 'dollar',
})

test('generated cases', { timeout: 600_000 }, async () => {
  const verdicts: Record<string, number> = {}
  const start = Date.now()
  try {
    await checkCases(
      world,
      {
        cases: Number(process.env.N ?? 100),
        seed: process.env.S ? Number(process.env.S) : undefined,
        path: process.env.P,
      },
      (_given, { verdict }) => {
        verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
      },
    )
  } finally {
    console.log(verdicts, Date.now() - start)
  }
})
