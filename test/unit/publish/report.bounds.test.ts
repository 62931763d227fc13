import { expect, test } from 'vitest'
import { createReport, mergeReports } from '../../../shared/publish/report/report.ts'
import type { JobReport } from '../../../wire/job.ts'

const identities = (report: ReturnType<typeof createReport>, count: number, from = 0) => {
  for (let at = from; at < from + count; at++) report.identity({ label: `Label${at}`, idProperty: 'id' })
  return report
}
const bytesOf = (report: JobReport) => Buffer.byteLength(JSON.stringify(report))

test('a report lists identities up to 8 KB, and the number of the others', () => {
  const { identities: listed, moreIdentities = 0 } = identities(createReport(), 50_000).read()
  expect(listed.length + moreIdentities).toBe(50_000)
  expect(listed.slice(0, 2)).toEqual([
    { label: 'Label0', property: 'id' },
    { label: 'Label1', property: 'id' },
  ])
  expect(JSON.stringify(listed).length).toBeGreaterThan(7_500)
  expect(JSON.stringify(listed).length).toBeLessThan(8_001)
})

test('a few identities are all listed', () => {
  const report = identities(createReport(), 100).read()
  expect(report.identities).toHaveLength(100)
  expect(report).not.toHaveProperty('moreIdentities')
})

test('merged reports are as bounded as one, and do not overcount', () => {
  const slices = [identities(createReport(), 5_000).read(), identities(createReport(), 5_000, 2_500).read()]
  const merged = mergeReports(slices)
  const known = merged.identities.length + (merged.moreIdentities ?? 0)
  expect(known).toBeGreaterThanOrEqual(5_000)
  expect(known).toBeLessThanOrEqual(7_500)
  expect(bytesOf(mergeReports(Array.from({ length: 500 }, () => merged)))).toBe(bytesOf(merged))
})

test('a name that is too long is not listed', () => {
  const report = createReport()
  report.identity({ label: 'L'.repeat(60_000), idProperty: 'id' })
  report.missingIndex({ type: 'T'.repeat(60_000), property: 'grn' })
  expect(report.read()).toMatchObject({ identities: [], moreIdentities: 1 })
  expect(bytesOf(report.read())).toBeLessThan(300)
})

test('missing indexes are deduplicated, and only the first ones are listed', () => {
  const report = createReport()
  for (const type of ['A', 'A', ...Array.from({ length: 300 }, (_, at) => `T${at}`)]) {
    report.missingIndex({ type, property: 'grn' })
  }
  const { missingIndexes = [] } = mergeReports([report.read(), report.read()])
  expect(missingIndexes.slice(0, 2).map(({ type }) => type)).toEqual(['A', 'T0'])
  expect(missingIndexes).toHaveLength(20)
})
