import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { documentsOf } from '../../support/documents/manifests.ts'
import { queriedBy } from '../../support/programs/exposed-metrics.ts'

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const [file] = documentsOf<{ groups: { name: string; rules: Rule[] }[] }>('deploy/prometheus-rules.yaml')
const rules = file?.groups.flatMap((group) => group.rules) ?? []

test('there are alerts, with unique names', () => {
  const names = rules.map(({ alert }) => alert)
  expect(names.length).toBeGreaterThan(15)
  expect(names).toEqual([...new Set(names)])
})

describe.each(rules)('$alert', ({ alert, expr, labels, annotations }) => {
  test('the alert queries only exposed metrics and their labels', async () => {
    const { metrics, unknown } = await queriedBy(expr)
    expect(metrics.length).toBeGreaterThan(0)
    expect(unknown).toEqual([])
  })

  test('the alert has a summary, a description, a runbook link and a severity', () => {
    expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook', 'summary'])
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`)
    expect(['critical', 'warning', 'info']).toContain(labels.severity)
    expect((annotations.description as string).length).toBeGreaterThan(40)
  })
})

test('the reasons in alerts are error codes of failed jobs', async () => {
  const jobs = await createMetrics().jobs.get()
  const codes = jobs.values.flatMap(({ labels }) => (labels.reason ? [String(labels.reason)] : []))
  const asked = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/reason=~?"([^"]+)"/g)].map(([, pattern]) => pattern as string),
  )
  expect(asked.length).toBeGreaterThan(0)
  for (const alternative of asked.flatMap((pattern) => pattern.split('|'))) {
    expect(codes.filter((code) => new RegExp(`^(${alternative})$`).test(code))).not.toEqual([])
  }
})
