import type { Plan } from 'neo4j-driver'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { overNumberedRows, overRows } from '../../client/replay/order/over-rows.ts'
import { connect } from '../../client/replay/run/connection.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { cleanup } from '../../packet/kinds/cleanup.ts'
import { deleteProperties } from '../../packet/kinds/delete-properties.ts'
import { checkOf } from '../../packet/kinds/kinds.ts'
import { nodeDelete } from '../../packet/kinds/node-delete.ts'
import { nodeUpsert } from '../../packet/kinds/node-upsert.ts'
import { postbackNode, postbackRelationship } from '../../packet/kinds/postback.ts'
import { relationshipCreate } from '../../packet/kinds/relationship-create.ts'
import { relationshipDelete } from '../../packet/kinds/relationship-delete.ts'
import { relationshipUpsert } from '../../packet/kinds/relationship-upsert.ts'
import type { Statement } from '../../packet/kinds/statement.ts'
import { type Recognised, recognise } from '../../packet/recognise.ts'
import { pairOfStatement, replayed, sourceOf, targetOf, nodeUpsert as upsertOf } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const label = uniqueName('Read')
const plain = { wrap: null, list: false }
const anchor = { label, idProperty: 'id', id: plain }
const ends = { start: anchor, type: 'KNOWS', end: anchor }
const since = { key: 'since', value: plain }
const own = { key: 'grn', value: plain }

const operators = (plan: Plan): string[] => [plan.operatorType, ...plan.children.flatMap(operators)]

describe.each([
  { name: 'Neo4j 5', address: target },
  { name: 'Neo4j 3.5', address: legacy },
])('$name', ({ address }) => {
  const driver = openDriver(address)
  const source = sourceOf([upsertOf(label, 'a')])
  afterAll(async () => {
    await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    await driver.close()
  })

  async function explained(
    statement: Statement<unknown>,
    queryOf = (it: Recognised) => overNumberedRows(checkOf(it).query),
  ) {
    await replayed(source, address, { createConstraints: true })
    const recognised = recognise(pairOfStatement(statement, {}).statement) as Recognised
    const session = driver.session()
    const { summary } = await session.run(`EXPLAIN ${queryOf(recognised)}`, { rows: [] })
    await session.close()
    return summary
  }

  test.each([
    ['nodes', nodeDelete(anchor, plain, [anchor])],
    ['nodes whose ids are lists', nodeDelete(anchor, { wrap: 'date', list: true }, [anchor])],
    ['relationships', relationshipDelete(ends, null)],
    ['relationships by their own ids', relationshipDelete(ends, own)],
  ])('a replay finds by indexes what it deletes, and visits no relationship of a hub: %s', async (_kind, statement) => {
    const { plan } = await explained(statement, overRows)
    const all = operators(plan as Plan)
    expect(all.filter((operator) => /Seek/.test(operator)).length).toBe(statement.topic.to === undefined ? 1 : 2)
    expect(all.filter((operator) => /Scan|Expand\(All\)/.test(operator))).toEqual([])
  })

  test.each([
    ['upsert', relationshipUpsert(ends, [since], [], null)],
    ['upsert by its own id', relationshipUpsert(ends, [own, since], [], 'grn')],
    ['create', relationshipCreate(ends)],
    ['postback', postbackRelationship(ends, null, since)],
    ['delete', relationshipDelete(ends, null)],
    ['delete by its own id', relationshipDelete(ends, own)],
  ])('a relationship is looked for between both ends, not among all of a hub: %s', async (_kind, statement) => {
    const { plan, queryType } = await explained(statement)
    const expands = operators(plan as Plan).filter((operator) => operator.includes('Expand'))
    expect(expands).toEqual([expect.stringMatching(/^(Optional)?Expand\(Into\)/)])
    expect(queryType).toBe('r')
  })

  test.each([
    [
      'node upsert',
      nodeUpsert(anchor, [{ key: 'id', value: plain }], { protectedKeys: ['a'], added: ['B'], removed: ['C'] }),
    ],
    ['node delete', nodeDelete(anchor, plain, [anchor])],
    ['node delete, of lists', nodeDelete(anchor, { wrap: 'date', list: true }, [anchor])],
    ['property delete', deleteProperties(anchor, ['a'])],
    ['postback', postbackNode(anchor, since)],
    [
      'cleanup',
      cleanup(anchor, { type: 'KNOWS', direction: 'both' }, [{ by: 'relationshipId', field: 'grn', id: plain }]),
    ],
  ])('a comparison only reads for the statement: %s', async (_kind, statement) => {
    expect((await explained(statement)).queryType).toBe('r')
  })
})

// A single Neo4j 3.5 does not know the access mode.
test('the server refuses every write of the sessions of a comparison', async () => {
  const connection = connect(targetOf(target), 'read')
  const session = connection.session()
  await expect(session.run(`CREATE (:${label})`)).rejects.toMatchObject({
    code: 'Neo.ClientError.Statement.AccessMode',
  })
  await session.close()
  await connection.close()
})
