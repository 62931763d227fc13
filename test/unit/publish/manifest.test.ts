import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { mergeContents, type PacketContent } from '../../../shared/publish/content.ts'
import { manifestOf } from '../../../shared/publish/manifest-view.ts'
import { createReport, identitiesOfPacket } from '../../../shared/publish/report/report.ts'
import { partKey } from '../../../shared/storage/keys.ts'
import type { Manifest } from '../../../shared/storage/manifest.ts'
import type { JobReport } from '../../../wire/job.ts'
import { busySeconds } from '../../support/programs/busy-seconds.ts'

const notation = { parameterSyntax: 'braces', numbers: 'plain' } as const

function reportOf(identities: number, prefix = 'Label'): JobReport {
  const report = createReport()
  for (let at = 0; at < identities; at++) report.identity({ label: `${prefix}${at}`, idProperty: 'id' })
  return report.read(identitiesOfPacket)
}

/** The stored manifest of a packet with many parts. */
function stored(parts: number, content: PacketContent = { ...notation, report: reportOf(1) }): Manifest {
  const [jobId, run] = ['0f7c5f2e-5d0c-4e0e-9c55-0c2d5d5d5d5d', '1f7c5f2e-5d0c-4e0e-9c55-0c2d5d5d5d5d']
  return {
    jobId,
    attempt: 1,
    createdAt: '2026-11-22T12:00:00.000Z',
    parts: Array.from({ length: parts }, (_, index) => ({
      key: partKey('acme/people.json', jobId, run, 0, index + 1),
      bytes: 1_240_013,
      pairs: 5_000,
      etag: '0123456789abcdef0123456789abcdef',
      sha256: hash('sha256', String(index)),
      statements: { nodeUpsert: 2_000, relationshipUpsert: 2_900, cleanup: 100 },
    })),
    content,
  }
}

const described = (manifest: Manifest) => manifestOf('acme', 'people.json', { generation: 3, manifest })

test("a packet's digest is that of its parts' digests, one a line", () => {
  const { sha256, parts } = described(stored(3))
  expect(parts.map((part) => part.sha256)).toEqual(['0', '1', '2'].map((text) => hash('sha256', text)))
  // printf '%s\n%s\n%s' $(for i in 0 1 2; do printf $i | sha256sum | cut -d' ' -f1; done) | sha256sum
  expect(sha256).toBe('acea507ef8a62ad51384d1f89c873531e49dbde2f3ef4de3065950d426459cd3')
})

test('the most parts that a packet may have are described in linear time, and stored in a few megabytes', () => {
  const most = stored(10_000)
  let manifest = {}
  const seconds = busySeconds(() => {
    manifest = described(most)
  })
  expect(seconds).toBeLessThan(1)
  expect(manifest).toMatchObject({ pairs: 50_000_000, statements: { nodeUpsert: 20_000_000, postback: 0 } })
  expect(JSON.stringify(most).length).toBeLessThan(4_000_000)
})

test('constraints are listed for far more identities than the report of a job lists', () => {
  const { report, requires } = described(stored(1, { ...notation, report: reportOf(2_000) }))
  expect(requires.constraints).toHaveLength(2_000)
  expect(requires).not.toHaveProperty('moreConstraints')
  expect(report?.identities.length).toBeLessThan(300)
  expect((report?.identities.length ?? 0) + (report?.moreIdentities ?? 0)).toBe(2_000)
})

test('constraints beyond the limits are counted', () => {
  const { constraints, moreConstraints = 0 } = described(stored(1, { ...notation, report: reportOf(50_000) })).requires
  expect(constraints?.length).toBeGreaterThan(5_000)
  expect((constraints?.length ?? 0) + moreConstraints).toBe(50_000)
})

test('the manifest of a packet says what its slices agree on, and mixed where they differ', () => {
  const [a, b] = [reportOf(2, 'A'), reportOf(2, 'B')]
  const plain = { parameterSyntax: 'dollar', numbers: 'plain', report: a } as const
  expect(mergeContents([plain, { ...plain, numbers: 'strict', report: b }])).toMatchObject({
    parameterSyntax: 'dollar',
    numbers: 'mixed',
  })
  const merged = mergeContents([plain, { ...plain, parameterSyntax: 'braces', report: b }])
  expect([merged.parameterSyntax, merged.numbers]).toEqual(['mixed', 'plain'])
  expect(merged.report.identities.map(({ label }) => label)).toEqual(['A0', 'A1', 'B0', 'B1'])
  expect(mergeContents([plain, plain])).toEqual(plain)
})

test('no statement names a property of the model whose key no statement can name', () => {
  const keys = ['fine', 'x\\u0060) OPTIONS {} //', 'back\\']
  const properties = keys.map((key) => ({ key, indexed: true as const, required: true as const }))
  const report = createReport({ version: 'v', types: [{ label: 'P', properties }], properties: keys })
  report.identity({ label: 'P', idProperty: 'id' })
  const { model } = described(stored(1, { ...notation, report: report.read(identitiesOfPacket) })).requires
  expect(model?.indexes.map(({ property }) => property)).toEqual(['fine'])
  expect(model?.existence.map(({ property }) => property)).toEqual(['fine'])
})
