import { expect, test } from 'vitest'
import { overRows } from '../../dev/replay/replay-grouped.ts'

test('parameters become fields of a row, in both syntaxes', () => {
  expect(overRows('MERGE (n:`P` {`id`: $id}) SET n = {`id`: $id, `at`: date($at)}')).toEqual({
    text: 'UNWIND $rows AS row MERGE (n:`P` {`id`: row.id}) SET n = {`id`: row.id, `at`: date(row.at)} RETURN count(*)',
    names: ['id', 'at'],
    isUpsert: true,
  })
  expect(overRows('MERGE (n:`P` {`id`: {id}}) SET n = {`id`: {id}, `x`: point({p_0})}').text).toBe(
    'UNWIND {rows} AS row MERGE (n:`P` {`id`: row.id}) SET n = {`id`: row.id, `x`: point(row.p_0)} RETURN count(*)',
  )
})

test('parameter-like text inside a quoted identifier is unchanged', () => {
  const odd = 'MERGE (n:`$a` {`{id}`: $id}) SET n = {`{id}`: $id, `tick``$b``{c}`: $p_0}'
  expect(overRows(odd)).toEqual({
    text: 'UNWIND $rows AS row MERGE (n:`$a` {`{id}`: row.id}) SET n = {`{id}`: row.id, `tick``$b``{c}`: row.p_0} RETURN count(*)',
    names: ['id', 'p_0'],
    isUpsert: true,
  })
  expect(overRows('MERGE (n:`$a` {`x`: {id}}) SET n = {}').text).toBe(
    'UNWIND {rows} AS row MERGE (n:`$a` {`x`: row.id}) SET n = {} RETURN count(*)',
  )
})

test('a WITH clause that binds a list keeps the row in scope', () => {
  const cleanup =
    'WITH [x IN $ids_0 | date(x)] AS ids_0 MATCH (n:`P` {`id`: $baseId})-[r:`T`]->(m) WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false) DELETE r'
  expect(overRows(cleanup)).toEqual({
    text: 'UNWIND $rows AS row WITH row, [x IN row.ids_0 | date(x)] AS ids_0 MATCH (n:`P` {`id`: row.baseId})-[r:`T`]->(m) WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false) DELETE r RETURN count(*)',
    names: ['ids_0', 'baseId'],
    isUpsert: false,
  })
})
