import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { documentsOf } from '../../support/manifests.ts'

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const [file] = documentsOf<{ groups: { name: string; rules: Rule[] }[] }>('deploy/prometheus-rules.yaml')
const rules = file?.groups.flatMap((group) => group.rules) ?? []

/** The series of every metric by name, with their label names. */
async function series(): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  const { registry } = createMetrics()
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    const labels = (registry.getSingleMetric(name) as unknown as { labelNames: string[] }).labelNames
    const suffixes = String(type) === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']
    for (const suffix of suffixes) found.set(name + suffix, new Set(suffix === '_bucket' ? [...labels, 'le'] : labels))
  }
  return found
}

/** Labels that Prometheus adds to every series. */
const given = ['instance', 'job']
const selector = /\b((?:packets|nodejs|process)_\w+)(?:\{([^}]*)\})?/g

test('there are alerts, with unique names', () => {
  const names = rules.map(({ alert }) => alert)
  expect(names.length).toBeGreaterThan(15)
  expect(names).toEqual([...new Set(names)])
})

describe.each(rules)('$alert', ({ alert, expr, labels, annotations }) => {
  test('queries only exposed metrics and their labels', async () => {
    const known = await series()
    const asked = [...expr.matchAll(selector)]
    expect(asked.length).toBeGreaterThan(0)
    for (const [, name = '', matchers = ''] of asked) {
      expect([...known.keys()]).toContain(name)
      const unknown = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].filter(
        ([, label = '']) => !known.get(name)?.has(label),
      )
      expect(unknown.map(([, label]) => `${name}: ${label}`)).toEqual([])
    }
    const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/))
    const labelsAsked = new Set(asked.flatMap(([, name = '']) => [...(known.get(name) ?? [])]))
    expect(grouped.filter((label) => !labelsAsked.has(label) && !given.includes(label))).toEqual([])
  })

  test('has a summary, a description, a runbook link and a severity', () => {
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
