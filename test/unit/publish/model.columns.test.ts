import { expect, test } from 'vitest'
import { createModelRules } from '../../../shared/publish/model/model-rules.ts'
import { NodeUpserts } from '../../../shared/publish/pairs/node-upserts.ts'
import { createPairMaker } from '../../../shared/publish/pairs/pair-maker.ts'
import type { Properties } from '../../../shared/publish/read/columns.ts'
import { identityOf } from '../../../shared/publish/request/identity.ts'
import { planOf } from '../../../shared/publish/request/plan.ts'

// Values of one column, which a statement writes without an expression, and lists of them.
const values = ['x', 5n, 5.5, true, ['x'], [5n], [5.5], [true], []]

test.each<[string, unknown[]]>([
  ['String', ['x']],
  ['Integer', [5n]],
  ['Float', [5.5]],
  ['Number', [5n, 5.5]],
  ['Boolean', [true]],
  ['String[]', [['x'], []]],
  ['Number[]', [[5n], [5.5], []]],
  ['Boolean[]', [[true], []]],
])('a column of %s is judged value by value', (dataType, allowed) => {
  const plan = planOf({
    ...{ dbUrl: 'bolt://db', credentials: '', model: 'm', onModelViolation: 'omit' as const },
    mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
  })
  const properties = [{ key: 'id' }, { key: 'a', dataType }]
  const rules = createModelRules({ version: 'grn', types: [{ label: 'Person', properties }], properties: ['id', 'a'] })
  const upserts = new NodeUpserts(plan, createPairMaker('dollar'), rules(plan))
  const identity = identityOf(plan.identity, { labels: ['Person'], index: null, ids: ['1'] })
  if ('problem' in identity) throw new Error(identity.problem)
  const columns = {
    keys: ['a', 'id'],
    texts: [null, null],
    at: new Map([
      ['a', 0],
      ['id', 1],
    ]),
  }
  for (const order of [values, values.toReversed()]) {
    const kept = order.filter((value) => {
      const read: Properties = { keys: columns.keys, values: [value, '1'], columns }
      const made = upserts.fromColumns(identity, ['Person'], read, () => 'the node')
      return made?.keys.includes('a')
    })
    expect(new Set(kept)).toEqual(new Set(allowed))
  }
})
