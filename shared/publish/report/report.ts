import type { NodeKey } from '../../../packet/kinds/statement.ts'
import { nothingSkipped, type Skipped } from '../../../packet/parts/metadata.ts'
import type { NewType } from '../../../packet/values/values.ts'
import type { JobReport } from '../../../wire/job.ts'
import type { BoundModel } from '../../request/bound-model.ts'
import { type Bounds, firstOf } from './first-of.ts'
import { createModelReport } from './model-report.ts'
import { createSelectionReport } from './selection-report.ts'

type Missing = JobReport['missing']['originIds']

export type Report = ReturnType<typeof createReport>

// These bounds limit a job in Redis to 8 KB, however long its ids are; to 16 KB with hundreds of kinds of identities;
// and to about 40 KB with violations of a model.
const firstIds = { count: 100, bytes: 2_000 }
const firstIdentities = { count: 1_000, bytes: 8_000 }
const firstIndexes = { count: 20, bytes: 1_000 }

/** Bounds for the identities in a packet's generation: targets need a constraint for each. */
export const identitiesOfPacket: Bounds = { count: 10_000, bytes: 256 * 1024 }
const none = (): Missing => ({ count: 0, first: [] })

/** Merges the reports of a packet's slices, given in their order. */
export function mergeReports(reports: readonly JobReport[], identitiesAtMost?: Bounds): JobReport {
  const merged = createReport()
  for (const report of reports) merged.add(report)
  return merged.read(identitiesAtMost)
}

export function createReport(of?: BoundModel | null) {
  let model = of ? createModelReport(of.version, of.types) : null
  const identities = new Map<string, Set<string>>()
  const missing = { originIds: none(), relationshipIds: none() }
  const skipped = nothingSkipped()
  const newTypes = new Set<NewType>()
  const missingIndexes = new Map<string, { type: string; property: string }>()
  const selected = createSelectionReport()
  let collapsed = 0
  let identitiesAtLeast = 0

  // Most nodes are identified in the same way as the previous one.
  let last: NodeKey = { label: '', idProperty: '' }

  const report = {
    /** The reporter of the model that the publish is bound to; null without a model. */
    get model() {
      return model
    },
    identity(identity: NodeKey): void {
      const { label, idProperty } = identity
      if (label === last.label && idProperty === last.idProperty) return
      last = identity
      const known = identities.get(label)
      if (known) known.add(idProperty)
      else identities.set(label, new Set([idProperty]))
    },
    missing(field: keyof typeof missing, ids: readonly string[]): void {
      missing[field].count += ids.length
      missing[field].first = firstOf([...missing[field].first, ...ids], firstIds)
    },
    collapsed(relationships: number): void {
      collapsed += relationships
    },
    /** How nodes were selected: once for each request that selects some. */
    selected: selected.add,
    /** Counts selected nodes that were gone, or no longer selected, when they were read. */
    gone: selected.gone,
    /** Counts a selected node that has no identity. */
    withoutIdentity: selected.withoutIdentity,
    skipped(kind: keyof Skipped): void {
      skipped[kind]++
    },
    missingIndex(index: { type: string; property: string }): void {
      if (missingIndexes.size < firstIndexes.count)
        missingIndexes.set(JSON.stringify([index.type, index.property]), index)
    },
    newTypes(types: readonly NewType[]): void {
      for (const type of types) newTypes.add(type)
    },
    /** Merges another report into this one. */
    add(other: JobReport): void {
      for (const { label, property } of other.identities) report.identity({ label, idProperty: property })
      identitiesAtLeast = Math.max(identitiesAtLeast, other.identities.length + (other.moreIdentities ?? 0))
      for (const field of ['originIds', 'relationshipIds'] as const) {
        const { count, first } = other.missing[field]
        report.missing(field, first)
        missing[field].count += count - first.length
      }
      for (const kind of Object.keys(skipped) as (keyof Skipped)[]) skipped[kind] += other.skipped[kind]
      collapsed += other.collapsed
      other.missingIndexes?.forEach(report.missingIndex)
      report.newTypes(other.newTypes ?? [])
      if (other.selection) selected.merge(other.selection)
      if (other.model === undefined) return
      model ??= createModelReport(other.model.version)
      model.add(other.model)
    },
    /** By default the identities are bounded as in a job's record. */
    read(identitiesAtMost = firstIdentities): JobReport {
      const all = [...identities].flatMap(([label, properties]) =>
        [...properties].map((property) => ({ label, property })),
      )
      const listed = firstOf(all, identitiesAtMost)
      const moreIdentities = Math.max(all.length, identitiesAtLeast) - listed.length
      const indexes = firstOf([...missingIndexes.values()], firstIndexes)
      return {
        identities: listed,
        ...(moreIdentities > 0 ? { moreIdentities } : {}),
        missing,
        skipped,
        collapsed,
        ...(indexes.length > 0 ? { missingIndexes: indexes } : {}),
        ...(newTypes.size > 0 ? { newTypes: [...newTypes].sort() } : {}),
        ...selected.read(),
        ...(model ? { model: model.read([...identities.keys()], identitiesAtMost) } : {}),
      }
    },
  }
  return report
}
