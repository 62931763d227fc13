import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, inject, test } from 'vitest'
import { database } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { readRows } from '../support/origins/read-rows.ts'

const { neo4j } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('rows that were read are not retained, even while their transaction is open', async () => {
  const origin = await openOrigin(database(neo4j, 'Label', 'id'), settings, 60)
  const all = 'UNWIND range(1, 500) AS i RETURN i, toString(i)'
  const references: WeakRef<object>[] = []
  // A row of each read is held by what reads it, and only by that.
  for (let count = 0; count < 20; count++) {
    const { rows } = await origin.rows(all, {})
    expect(rows?.length).toBe(500)
    if (rows) references.push(new WeakRef(rows))
    let last: object = {}
    await origin.each(all, {}, (row) => {
      last = { text: row.bytes }
      for (let column = 0; column < 2; column++) row.skip()
    })
    references.push(new WeakRef(last))
  }
  expect(references).toHaveLength(40)
  await delay(0) // a WeakRef keeps its target alive until the task that created it ends
  collectGarbage()
  // A compilation in another thread may hold a row for a moment; a reader that retains rows retains hundreds.
  expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(10)
  expect(await readRows(origin, 'RETURN 1')).toEqual([[1n]])
  await origin.close()
})
