import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, inject, test } from 'vitest'
import { database } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'

const { neo4j } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('rows that were read are not retained, even while their transaction is open', async () => {
  const origin = await openOrigin(database(neo4j, 'Label', 'id'), settings, 60)
  const read = async (query: string) => (await origin.rows(query)).map((row) => new WeakRef(row))
  const all = 'UNWIND range(1, 500) AS i RETURN [i, toString(i)]'
  const references = [...(await read(all)), ...(await read(all))]
  expect(references).toHaveLength(1_000)
  await delay(0) // a WeakRef keeps its target alive until the task that created it ends
  collectGarbage()
  // A compilation in another thread may hold a row for a moment; a reader that retains rows retains hundreds.
  expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(10)
  expect(await origin.rows('RETURN [1]')).toEqual([[1n]])
  await origin.close()
})
