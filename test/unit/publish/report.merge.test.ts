import { expect, test } from 'vitest'
import { createReport, mergeReports } from '../../../shared/publish/report/report.ts'

const reportOf = (label: string, missing: readonly string[]) => {
  const report = createReport()
  report.identity({ label, idProperty: 'id' })
  report.missing('originIds', missing)
  report.skipped('nodes')
  report.collapsed(2)
  return report.read()
}

test('the report of a packet merges the reports of its slices, in order', () => {
  const many = Array.from({ length: 150 }, (_, index) => `m${index}`)
  const merged = mergeReports([reportOf('A', ['x']), reportOf('B', many), reportOf('A', ['y'])])
  expect(merged).toEqual({
    identities: [
      { label: 'A', property: 'id' },
      { label: 'B', property: 'id' },
    ],
    missing: {
      originIds: { count: 152, first: ['x', ...many.slice(0, 99)] },
      relationshipIds: { count: 0, first: [] },
    },
    skipped: { nodes: 3, relationships: 0, properties: 0, cleanups: 0 },
    collapsed: 6,
  })
})

test('no slices give an empty report', () => {
  expect(mergeReports([])).toEqual(createReport().read())
})
