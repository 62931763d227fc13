import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'

const { neo4j, legacy } = inject('stack') as { neo4j: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [five, three] = [openDriver(neo4j), openDriver(legacy)]
afterAll(() => Promise.all([five.close(), three.close()]))

const bytes = new Int8Array([1, -1])

/** Creates `pattern` with a unique label for L, then publishes node `a` with its T relationships. */
async function published(pattern: string, fields: object = {}) {
  const label = uniqueName('Refused')
  await run(five, `CREATE ${pattern.replaceAll(':L', `:${label}`)}`, { bytes })
  const request = { ...database(neo4j, label, 'id'), originIds: ['a'], metadata: true, relationships: ['T'] }
  const { status, body } = await client.post('/1.0/publish/', { ...request, returnOnly: true, ...fields })
  const error = body.error
    ?.replaceAll(label, 'L')
    .replace(/(node|relationship) \d+/, '$1 N')
    // A database returns labels in the order of their first use.
    .replace('"x\\y", "L"', '"L", "x\\y"')
  const skipped = body.transactionRequest?.statements.at(-1)?.metadata?.skipped
  return { status, error: error?.replace('422 Unprocessable Entity: ', ''), skipped }
}

const node = 'the node N with the labels "L"'
const relationship = 'the relationship N of type "T"'
const unreadable = 'zoned datetime of a year or zone that the driver does not know'
const skipped = { nodes: 0, relationships: 0, properties: 0, cleanups: 0 }

describe('unpublishable origin data is reported with its owner, key and type, or skipped and counted', () => {
  test.each([
    ['a byte array', "(:L {id: 'a', b: $bytes})", `${node} has a byte array as its property "b"`, { properties: 1 }],
    [
      'a byte array of a relationship',
      "(a:L {id: 'a'})-[:T {b: $bytes}]->(a)",
      `${relationship} has a byte array as its property "b"`,
      { properties: 1 },
    ],
    [
      'a byte array as an id',
      "(:L {id: 'a'})-[:T]->(:L {id: $bytes})",
      `${node} has a byte array as its id "id"`,
      { relationships: 1, cleanups: 1 },
    ],
    [
      'NaN as an id',
      "(:L {id: 'a'})-[:T]->(:L {id: 0.0 / 0.0})",
      `${node} has NaN as its id "id"`,
      { relationships: 1, cleanups: 1 },
    ],
    [
      'NaN in a list that is an id',
      "(:L {id: 'a'})-[:T]->(:L {id: [1.0, 0.0 / 0.0]})",
      `${node} has NaN in its id "id"`,
      { relationships: 1, cleanups: 1 },
    ],
    [
      'a datetime that Cypher would read back as another',
      "(:L {id: 'a', d: datetime({year: 999999999, timezone: '+00:00:01'})})",
      `${node} has a datetime in a named zone or at an offset with seconds, more than 292 million years away as its property "d"`,
      { properties: 1 },
    ],
    [
      'a zoned datetime of a year that the driver cannot read',
      "(:L {id: 'a', d: datetime({year: 999999, timezone: 'Europe/Berlin'})})",
      `${node} has a ${unreadable} as its property "d"`,
      { properties: 1 },
    ],
    [
      'one in a list that is an id',
      "(:L {id: 'a'})-[:T]->(:L {id: [datetime({year: -999999, timezone: 'Asia/Tokyo'})]})",
      `${node} has a list with a ${unreadable} as its id "id"`,
      { relationships: 1, cleanups: 1 },
    ],
    [
      'a key with a backslash',
      "(:L {id: 'a', `x\\u005Cy`: 1})",
      `${node} has a property key "x\\\\y" that no statement can name`,
      { properties: 1 },
    ],
    [
      'a key with a control character',
      "(:L {id: 'a', `x\ny`: 1})",
      `${node} has a property key "x\\ny" that no statement can name`,
      { properties: 1 },
    ],
    [
      'a label with a backslash',
      "(:L:`x\\u005Cy` {id: 'a'})",
      'the node N with the labels "L", "x\\y" bears a label "x\\\\y" that no statement can name',
      {},
    ],
  ])(
    'unpublishable origin data is reported with its owner, key and type, or skipped and counted: %s',
    async (_name, pattern, error, counts) => {
      expect(await published(pattern)).toEqual({ status: 422, error, skipped: undefined })
      const left = await published(pattern, { onUnpublishable: 'skip' })
      const isCounted = Object.keys(counts).length > 0
      expect(left).toEqual({
        status: 200,
        error: undefined,
        skipped: isCounted ? { ...skipped, ...counts } : undefined,
      })
    },
  )
})

test.each([
  ['null in a list', '[1, null]'],
  ['a list in a list', '[[1]]'],
  ['a list of nulls in a list', '[[null]]'],
  ['values of two types in a list', "[1, 'a']"],
  ['byte arrays in a list', '[$bytes]'],
  ['points of two kinds in a list', '[point({x: 1, y: 2}), point({x: 1, y: 2, z: 3})]'],
  ['a map', '{a: 1}'],
  ['a point at infinity', 'point({x: 1.0 / 0.0, y: 0.0})'],
  ['a point that is no number', 'point({x: 0.0 / 0.0, y: 0.0})'],
])('no database stores %s, so no origin contains it', async (_name, value) => {
  for (const driver of [five, three]) {
    await expect(run(driver, `CREATE (:${uniqueName('Never')} {v: ${value}})`, { bytes })).rejects.toThrow()
  }
})

describe('a lone surrogate', () => {
  test('a lone surrogate is replaced when a database stores it', async () => {
    for (const driver of [five, three]) {
      const label = uniqueName('Lone')
      await run(driver, `CREATE (:${label} {sent: $sent, written: 'a\\uD800b'})`, { sent: 'a\ud800b' })
      expect(await run(driver, `MATCH (n:${label}) RETURN n.sent, n.written`)).toEqual([['a\ufffdb', 'a?b']])
    }
  })

  test.each(['originIds', 'relationshipIds'])(
    'a lone surrogate in %s is refused, because in transit it would become the id of another node',
    async (field) => {
      const { status, error } = await published("(:L {id: 'a\\uFFFD'})", { [field]: ['a', 'a\ud800'] })
      expect([status, error]).toEqual([
        400,
        expect.stringContaining(`400 Bad Request: ${field}[1]: must not hold a lone surrogate`),
      ])
    },
  )
})
