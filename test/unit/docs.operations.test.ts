import { describe, expect, test } from 'vitest'
import { environment } from '../../shared/config/env.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { documentsOf, textOf } from '../support/documents/manifests.ts'

const chapter = textOf('docs/operations.md')

test('every alert links to its heading', () => {
  const [file] = documentsOf<{ groups: { rules: { alert: string; annotations: { runbook: string } }[] }[] }>(
    'deploy/prometheus-rules.yaml',
  )
  const rules = file?.groups.flatMap((group) => group.rules) ?? []
  const headings = [...chapter.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  expect(headings).toEqual(rules.map(({ alert }) => alert))
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    headings.map((name) => `docs/operations.md#${name?.toLowerCase()}`),
  )
})

describe('the metrics', () => {
  test('the metrics are listed exactly in the table, with their labels', async () => {
    const { registry } = createMetrics()
    const own = (await registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('packets_'))
    const exposed = own.map(({ name }) => {
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
      return labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`
    })
    const rows = chapter.split('\n').filter((line) => line.startsWith('| `packets_'))
    const told = rows.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
    expect(told.sort()).toEqual(exposed.sort())
  })
})

test('the table lists exactly the packages with an install script', () => {
  const { allowScripts } = JSON.parse(textOf('package.json'))
  const [, table = ''] = /^\| package [^\n]*\n(.*?)\n\n/ms.exec(textOf('docs/deployment.md')) ?? []
  const told = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)
  expect(told.sort()).toEqual(Object.keys(allowScripts).sort())
})

test('every setting that is mentioned exists', () => {
  const named = [...chapter.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)[=`]/g)].map(([, name]) => name as string)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !(name in environment.shape))).toEqual([])
})
