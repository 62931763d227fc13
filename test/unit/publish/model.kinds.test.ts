import { expect, test } from 'vitest'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { NodeUpserts } from '../../../shared/publish/pairs/node-upserts.ts'
import { identityOf } from '../../../shared/request/identity.ts'
import { createModelRules } from '../../../shared/request/model/model-rules.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { driverOf, propertiesOf } from '../../support/origins/packstream.ts'

// Values of one key, which a statement writes without an expression, and lists of them.
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
])('the values of a property of the type %s are judged one by one', (dataType, allowed) => {
  const plan = planOf({
    dbUrl: 'bolt://db',
    credentials: '',
    model: 'm',
    onModelViolation: 'omit' as const,
    mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
  })
  const properties = [{ key: 'id' }, { key: 'a', dataType }]
  const rules = createModelRules({ version: 'grn', types: [{ label: 'Person', properties }], properties: ['id', 'a'] })
  const upserts = new NodeUpserts(plan, createPairMaker('dollar'), rules(plan))
  const identity = identityOf(plan.identity, { labels: ['Person'], properties: propertiesOf({ id: '1' }) })
  if ('problem' in identity) throw new Error(identity.problem)
  const [labels, shapes, driver] = [['Person'], new Shapes(), driverOf('5x0')]
  for (const order of [values, values.toReversed(), values]) {
    const kept = order.filter((value) => {
      const read = propertiesOf({ a: value, id: '1' }, driver, shapes)
      const made = upserts.shapeOf(identity, { labels, properties: read }, () => 'the node')
      return made.keys.includes('a')
    })
    expect(new Set(kept)).toEqual(new Set(allowed))
  }
})
