import { createMetrics } from '../../../shared/observability/metrics.ts'

/** The series of every metric of the programs by name, with their label names. */
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

const exposed = series()

/** Labels that Prometheus adds to every series. */
const given = ['instance', 'job']
const selector = /\b((?:packets|nodejs|process)_\w+)(?:\{([^}]*)\})?/g

/** The metrics that a PromQL expression queries, and what the programs do not expose: metrics, and labels of them. */
export async function queriedBy(expression: string): Promise<{ metrics: string[]; unknown: string[] }> {
  const known = await exposed
  const queried = [...expression.matchAll(selector)]
  const metrics = queried.map(([, name = '']) => name)
  const matched = queried.flatMap(([, name = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)]
      .filter(([, label = '']) => !known.get(name)?.has(label))
      .map(([, label]) => `${name}: ${label}`),
  )
  const labels = new Set([...given, ...metrics.flatMap((name) => [...(known.get(name) ?? [])])])
  const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/))
  return {
    metrics,
    unknown: [
      ...metrics.filter((name) => !known.has(name)),
      ...matched,
      ...grouped.filter((label) => !labels.has(label)),
    ],
  }
}
