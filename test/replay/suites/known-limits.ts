import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DateTime, Driver } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'

/** What a database does otherwise than Neo4j. */
interface KnownLimit {
  /** In the words of docs/databases.md. */
  what: string
  occurs(driver: Driver): Promise<boolean>
}

interface Limits {
  /** Values of the type matrix that it refuses. */
  refused: readonly string[]
  limits: readonly KnownLimit[]
}

const farLocal =
  'localdatetime({year: 999999, month: 12, day: 31, hour: 23, minute: 59, second: 59, nanosecond: 999999999})'

const none: Limits = { refused: [], limits: [] }

/** By server, as `npm run try:database` names it. Databases that are not here have only the limits of Bolt. */
const limitsByServer: Record<string, Limits> = {
  arcadedb: {
    refused: [farLocal],
    limits: [
      {
        what: 'A datetime loses its named zone.',
        async occurs(driver) {
          const [[at] = []] = await run(driver, "RETURN datetime({epochSeconds: 0, timezone: 'Europe/Berlin'})")
          return (at as DateTime).timeZoneId !== 'Europe/Berlin'
        },
      },
      {
        what: 'a local datetime in the year 999999',
        async occurs(driver) {
          return run(driver, `CREATE (n:${uniqueName('Far')} {at: ${farLocal}})`).then(
            () => false,
            ({ code }) => code === 'Neo.ClientError.Statement.ArgumentError',
          )
        },
      },
      {
        what: 'A datetime that is given as text cannot have a year of more than four digits.',
        async occurs(driver) {
          return run(driver, "RETURN datetime('+999999-01-01T00:00:00+18:00')").then(
            () => false,
            ({ message }) => message.includes('cannot parse'),
          )
        },
      },
      {
        what: 'A transaction cannot add a label to a node that it has created under a uniqueness constraint.',
        async occurs(driver) {
          const label = uniqueName('Made')
          await run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
          const session = driver.session()
          const transaction = session.beginTransaction()
          const failure = await transaction.run(`MERGE (n:${label} {id: 1}) SET n:${label}Too`).then(
            () => transaction.commit().catch((error) => error),
            (error) => error,
          )
          await session.close()
          return failure?.code === 'Neo.ClientError.Schema.ConstraintValidationFailed'
        },
      },
      {
        what: 'A change of labels gives the node another internal id.',
        async occurs(driver) {
          const label = uniqueName('Moved')
          const [[before] = []] = await run(driver, `CREATE (n:${label}) RETURN id(n)`)
          await run(driver, `MATCH (n:${label}) SET n:${label}Too`)
          const [[after] = []] = await run(driver, `MATCH (n:${label}) WITH n, id(n) AS id DELETE n RETURN id`)
          return before !== after
        },
      },
    ],
  },
}

export const limitsOf = (server: string): Limits => limitsByServer[server] ?? none

/** Registers a test for each known limit, which fails once the limit is gone: then the table has to change. */
export function testKnownLimits(server: string, name: string, driver: Driver) {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/databases.md'), 'utf8').replaceAll(/\s+/g, ' ')
  test.each(limitsOf(server).limits)(`${name} has the known limit: $what`, async ({ what, occurs }) => {
    expect(docs).toContain(what)
    expect(await occurs(driver)).toBe(true)
  })
}
