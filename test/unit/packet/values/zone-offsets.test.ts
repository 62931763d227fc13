import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { completeOffsets } from '../../../../packet/values/zone-offsets.ts'

const at = (hour: bigint, offset?: bigint) =>
  new neo4j.types.DateTime(2024n, 10n, 27n, hour, 30n, 0n, 0n, offset, 'Europe/Rome')

test('each datetime that Bolt 3 sends without an offset gets its own, alone or in a list', async () => {
  const asked: string[] = []
  const values = [at(2n), [at(2n), at(2n), at(3n)], [1n], at(4n, 3_600n)]
  await completeOffsets({ keys: ['one', 'list', 'numbers', 'complete'], values }, async (key) => {
    asked.push(key)
    return key === 'one' ? [7_200n] : [7_200n, 3_600n, 3_600n]
  })
  const completed = [at(2n, 7_200n), [at(2n, 7_200n), at(2n, 3_600n), at(3n, 3_600n)], [1n], at(4n, 3_600n)]
  expect([values, asked]).toEqual([completed, ['one', 'list']])
})
