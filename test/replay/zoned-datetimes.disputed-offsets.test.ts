import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { answeredPairs } from '../support/replay/answered-pairs.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'

const { neo4j, target, legacy } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const origin = openDriver(neo4j)
afterAll(() => origin.close())

// Zones whose rules differ between time-zone data: Node's may be newer or older than the database's.
const values = [
  "datetime('2027-01-15T12:00:00[America/Vancouver]')",
  "datetime('2030-03-01T12:00:00[Africa/Casablanca]')",
  "datetime('1965-07-01T12:00:00[America/Tijuana]')",
  // Within the years for which most data agree.
  "datetime({epochSeconds: 160000000, timezone: 'America/Tijuana'})",
  "datetime({epochSeconds: 280000000, timezone: 'Asia/Tehran'})",
]

// Computed by the database: the driver derives local times from Node's time-zone data.
const told = (label: string) =>
  `MATCH (n:${label}) RETURN toString(n.at), n.at.epochSeconds, [at IN n.ats | toString(at)] ORDER BY n.id`

test.each([
  ['Neo4j 5', target, 'dollar', 'plain'],
  ['Neo4j 5, strictly', target, 'dollar', 'strict'],
  ['Neo4j 3.5', legacy, 'braces', 'plain'],
])(
  'a datetime with a disputed offset is the same instant in the same zone in %s',
  async (_name, address, parameterSyntax, numbers) => {
    const label = uniqueName('Zoned')
    await run(
      origin,
      `UNWIND [${values.join(', ')}] AS at CREATE (:${label} {id: toString(at), at: at, ats: [at, at]})`,
    )
    const ids = (await run(origin, `MATCH (n:${label}) RETURN n.id`)).map(([id]) => id)
    const fields = { ...database(neo4j, label, 'id'), metadata: true, returnOnly: true, parameterSyntax, numbers }
    const answer = await client.post('/1.0/publish/', { ...fields, originIds: ids })
    const copy = openDriver(address)
    try {
      await replayInOrder(copy, answeredPairs(answer))
      const expected = await run(origin, told(label))
      expect(expected).toHaveLength(values.length)
      expect(await run(copy, told(label))).toEqual(expected)
    } finally {
      await run(copy, `MATCH (n:${label}) DETACH DELETE n`)
      await copy.close()
    }
  },
)
