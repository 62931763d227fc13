import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import type { ModelReport } from '../../../wire/job.ts'
import type { BoundModel } from '../../request/bound-model.ts'
import type { Violation } from '../../request/model/model-rules.ts'
import { shown } from '../../validation/issues.ts'
import { type Bounds, firstOf } from './first-of.ts'

interface Broken extends Violation {
  label: string
  id: string
}

type NamedProperty = { label: string; property: string }

const firstViolations = { count: 100, bytes: 8_000 }

export function createModelReport(version: string, types: BoundModel['types'] = []) {
  const violations: ModelReport['violations'] = { count: 0, first: [] }
  const omitted = { labels: 0, properties: 0, nodes: 0 }
  const listed = { indexed: new Map<string, NamedProperty>(), required: new Map<string, NamedProperty>() }
  let propertiesAtLeast = 0
  let isFull = false

  const list = (kind: keyof typeof listed, { label, property }: NamedProperty) =>
    listed[kind].set(JSON.stringify([label, property]), { label, property })

  function addFirst(broken: readonly Broken[]) {
    if (isFull) return
    const all = [...violations.first, ...broken]
    violations.first = firstOf(all, firstViolations)
    isFull = violations.first.length < all.length
  }

  return {
    violation({ rule, property, problem }: Violation, { label, id }: { label: string; id: string }): void {
      violations.count++
      if (isFull) return
      addFirst([{ label: shown(label), id: shown(id), property: property && shown(property), rule, problem }])
    },
    omitted(kind: keyof typeof omitted, count = 1): void {
      omitted[kind] += count
    },
    add(report: ModelReport): void {
      violations.count += report.violations.count
      addFirst(report.violations.first)
      for (const kind of ['labels', 'properties', 'nodes'] as const) omitted[kind] += report.omitted[kind]
      for (const kind of ['indexed', 'required'] as const) for (const one of report[kind]) list(kind, one)
      const count = report.indexed.length + report.required.length + (report.moreProperties ?? 0)
      propertiesAtLeast = Math.max(propertiesAtLeast, count)
    },
    /** @param labels the labels that identify nodes of the packet. */
    read(labels: readonly string[], propertiesAtMost: Bounds): ModelReport {
      const published = new Set(labels)
      for (const { label, properties } of types) {
        if (!published.has(label)) continue
        for (const { key, ...flags } of properties) {
          // Statements are made of these keys, and no published node has a key that cannot be quoted.
          if (!isQuotable(key)) continue
          for (const kind of ['indexed', 'required'] as const) if (flags[kind]) list(kind, { label, property: key })
        }
      }
      const indexed = firstOf([...listed.indexed.values()], propertiesAtMost)
      const required = firstOf([...listed.required.values()], propertiesAtMost)
      const most = Math.max(listed.indexed.size + listed.required.size, propertiesAtLeast)
      const moreProperties = most - indexed.length - required.length
      const more = moreProperties > 0 ? { moreProperties } : {}
      return { version, violations: { ...violations }, omitted: { ...omitted }, indexed, required, ...more }
    },
  }
}
