import { type Driver, Neo4jError } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { run, untilUndisturbed } from '../../dev/replay/neo4j.ts'

/** A driver whose sessions fail with these codes one after the other, then answer. */
function failing(codes: string[]): Driver {
  const session = {
    async run() {
      const code = codes.shift()
      if (code !== undefined) throw new Neo4jError('changed', code, '50N42', '', undefined)
      return { records: [new Map([['n', 1n]])] }
    },
    async close() {},
  }
  return { session: () => session } as unknown as Driver
}

const changed = 'Neo.TransientError.Transaction.ConstraintsChanged'

test('a query that a schema change aborted is run again', async () => {
  expect(await run(failing([changed, changed]), 'RETURN 1')).toEqual([[1n]])
})

test('work that is disturbed for too long fails', async () => {
  const disturbed = () => Promise.reject(new Neo4jError('changed', changed, '50N42', '', undefined))
  await expect(untilUndisturbed(disturbed, 100)).rejects.toMatchObject({ code: changed })
})

test('a query that failed by itself is not run again', async () => {
  const code = 'Neo.ClientError.Statement.SyntaxError'
  await expect(run(failing([code]), 'RETURN')).rejects.toMatchObject({ code })
})
