import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import { createKeptOrigins } from '../../shared/origin/kept-origins.ts'
import { readRows } from '../support/origins/read-rows.ts'

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

const removeUser = {
  'Neo4j 5': (user: string) => `DROP USER ${user}`,
  'Neo4j 3.5': (user: string) => `CALL dbms.security.deleteUser('${user}')`,
}
const createUser = {
  'Neo4j 5': (user: string, password: string) => `CREATE USER ${user} SET PASSWORD '${password}' CHANGE NOT REQUIRED`,
  'Neo4j 3.5': (user: string, password: string) => `CALL dbms.security.createUser('${user}', '${password}', false)`,
}

test.each([
  ['Neo4j 5', neo4j, 'system'],
  ['Neo4j 3.5', legacy as typeof neo4j, undefined],
] as const)('%s: a user who was removed, or has another password, logs in again', async (version, address, on) => {
  const driver = openDriver(address)
  const user = uniqueName('user')
  const administer = async (statement: string) => {
    const session = driver.session(on === undefined ? {} : { database: on })
    await session.run(statement).finally(() => session.close())
  }
  const open = (password: string, keeping = {}) => {
    const credentials = `Basic ${btoa(`${user}:${password}`)}`
    return openOrigin({ dbUrl: database(address, '', '').dbUrl, credentials }, { ...settings, ...keeping }, 60)
  }
  /** @returns whether kept connections were used. */
  const use = async (password: string) => {
    const origin = await open(password, { kept })
    expect(await readRows(origin, 'RETURN 1')).toEqual([[1n]])
    const before = count
    await origin.release()
    await expect.poll(() => count).toBe(before + 1)
    return origin.isReused
  }
  const refused = { code: 'originRefusedCredentials' }
  try {
    await administer(createUser[version](user, 'the-first-one'))
    expect([await use('the-first-one'), await use('the-first-one')]).toEqual([false, true])
    await administer(removeUser[version](user))
    await expect(open('the-first-one')).rejects.toMatchObject(refused)
    await administer(createUser[version](user, 'the-second-one'))
    expect([await use('the-second-one'), await use('the-second-one')]).toEqual([false, true])
    await expect(open('the-first-one')).rejects.toMatchObject(refused)
    // As decision 38 says: for half a minute.
    expect(await use('the-first-one')).toBe(true)
  } finally {
    await administer(removeUser[version](user)).catch(() => {})
    await driver.close()
  }
})

test.each([
  ['Neo4j 5', neo4j],
  ['Neo4j 3.5', legacy as typeof neo4j],
])('%s: each use sees what was committed before it, and leaves no transaction open', async (_, address) => {
  const driver = openDriver(address)
  const label = uniqueName('Kept')
  const target = database(address, label, 'id')
  const countNodes = `MATCH (n:${label}) RETURN count(n)`
  try {
    for (let use = 0; use < 3; use++) {
      const origin = await openOrigin(target, { ...settings, kept }, 60)
      expect(origin.isReused).toBe(use > 0)
      expect(await readRows(origin, countNodes)).toEqual([[BigInt(use)]])
      if (use === 1) expect(await origin.ask('RETURN 1')).toEqual([[1n]])
      // Abandoned: the next use must not get these rows.
      expect((await origin.rows('UNWIND range(1, 5000) AS i RETURN i', {}, 1_000)).rows).toBeNull()
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
