import { expect, test } from 'vitest'
import { createReport } from '../../../shared/publish/report/report.ts'
import { identify } from '../../../shared/publish/write/nodes.ts'
import type { RequestContext } from '../../../shared/publish/write/request-context.ts'
import { createModelRules } from '../../../shared/request/model/model-rules.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'
import { only } from '../../support/values/only.ts'

const bound = {
  version: 'grn',
  types: [{ label: 'Person', properties: [{ key: 'id', dataType: 'String' }] }],
  properties: ['id'],
}

test('a node that the model refuses is reported as existing, so that no cleanup treats it as missing', () => {
  const plan = planOf({
    dbUrl: 'bolt://db',
    credentials: '',
    model: 'grn',
    onModelViolation: 'omit' as const,
    mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
  })
  const report = createReport(bound)
  const told: unknown[] = []
  const checked: unknown[] = []
  const context = only<RequestContext>({
    observer: undefined,
    index: null,
    plan,
    report,
    model: createModelRules(bound)(plan),
    conflicts: { identified: (node) => told.push(node), published() {}, missed() {} },
    uniqueness: only<RequestContext['uniqueness']>({ add: (identity) => checked.push(identity) }),
  })
  expect(identify(context, 7 as never, { labels: ['Person'], properties: propertiesOf({ id: 5n }) })).toBeNull()
  expect([told, checked]).toEqual([[7], []])
  expect(report.read().model?.omitted.nodes).toBe(1)
})
