import { describe, expect, test } from 'vitest'
import { textOf } from '../../support/documents/manifests.ts'
import { queriedBy } from '../../support/programs/exposed-metrics.ts'

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { expr: string; legendFormat: string }[]
}

const { panels }: { panels: Panel[] } = JSON.parse(textOf('deploy/grafana/packets.json'))
const charts = panels.filter(({ type }) => type !== 'row')

describe.each(charts)('the panel $title', ({ description, targets = [] }) => {
  test.each(targets)(
    'the panel queries only exposed metrics and their labels: $expr',
    async ({ expr, legendFormat }) => {
      const { metrics, unknown } = await queriedBy(expr)
      expect(metrics.length).toBeGreaterThan(0)
      expect(unknown).toEqual([])
      // A label that the expression aggregates away would leave its place in the legend empty.
      const inLegend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string)
      const kept = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/))
      const isAggregated = /\b(sum|max|min)\b/.test(expr)
      expect(inLegend.filter((label) => (isAggregated ? !kept.includes(label) : label !== 'instance'))).toEqual([])
    },
  )

  test('the panel says what it shows, and queries something', () => {
    expect(description).toMatch(/\.$/)
    expect(targets.length).toBeGreaterThan(0)
  })
})

test('the dashboard shows the queue, jobs, requests, callbacks and dependencies', async () => {
  const queries = await Promise.all(charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => queriedBy(expr))))
  const shown = new Set(queries.flatMap(({ metrics }) => metrics))
  const expected = [
    'packets_queue_jobs',
    'packets_oldest_queued_seconds',
    'packets_slots',
    'packets_jobs_total',
    'packets_store_request_seconds_bucket',
    'packets_bolt_seconds_bucket',
    'packets_callbacks_total',
    'packets_event_streams',
    'process_resident_memory_bytes',
  ]
  expect(expected.filter((name) => !shown.has(name))).toEqual([])
})

test('no panel lies over another, and each has an id of its own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})
