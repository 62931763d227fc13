import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { createKeptOrigins } from '../../shared/origin/kept-origins.ts'

/** Connections to real databases that are kept between publishes. */
const { neo4j, legacy } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)

let count = 0
const kept = createKeptOrigins({
  set(now) {
    count = now
  },
})
afterAll(() => kept.close())

test.each([
  ['Neo4j 5', neo4j],
  ['Neo4j 3.5', legacy as typeof neo4j],
])('%s: each use sees what was committed before it, and leaves no transaction open', async (_, address) => {
  const driver = openDriver(address)
  const label = uniqueName('Kept')
  const target = database(address, label, 'id')
  const countNodes = `MATCH (n:${label}) RETURN [count(n)]`
  try {
    for (let use = 0; use < 3; use++) {
      const origin = await openOrigin(target, { ...settings, kept }, 60)
      expect(origin.isReused).toBe(use > 0)
      expect(await origin.rows(countNodes)).toEqual([[BigInt(use)]])
      if (use === 1) expect(await origin.ask('RETURN 1')).toEqual([[1n]])
      // Half read: the next use must not get these rows.
      const rows = origin.read('UNWIND range(1, 5000) AS i RETURN i')
      await rows.next()
      await rows.return(undefined)
      const before = count
      await origin.release()
      await expect.poll(() => count).toBe(before + 1)
      await run(driver, `CREATE (:${label} {id: $use})`, { use })
    }
    const wrong = { ...target, credentials: `Basic ${btoa('neo4j:wrong')}` }
    await expect(openOrigin(wrong, { ...settings, kept }, 60)).rejects.toMatchObject({
      code: 'originRefusedCredentials',
    })
  } finally {
    await driver.close()
  }
})
