import type { Identity } from './identity.ts'

/** Ids that were asked for and do not exist. */
interface Missing {
  count: number
  first: string[]
}

/** What `onUnpublishable: skip` left out. */
export interface Skipped {
  nodes: number
  relationships: number
  properties: number
  cleanups: number
}

export const nothingSkipped = (): Skipped => ({ nodes: 0, relationships: 0, properties: 0, cleanups: 0 })

/** What a job tells about its packet as a whole. Contract 7, Job. */
export interface JobReport {
  /** Label and id property of every kind of identity in the packet: targets need a uniqueness constraint on each. */
  identities: { label: string; property: string }[]
  missing: { originIds: Missing; relationshipIds: Missing }
  skipped: Skipped
  collapsed: number
}

export interface Report {
  identity(identity: Pick<Identity, 'label' | 'idProperty'>): void
  missing(field: 'originIds' | 'relationshipIds', ids: readonly string[]): void
  collapsed(relationships: number): void
  skipped(kind: keyof Skipped): void
  /** Counts what another report tells. */
  add(report: JobReport): void
  read(): JobReport
}

const firstIds = 100
// Redis holds a job in under 8 KB, however long its ids are.
const firstBytes = 2_000
const none = (): Missing => ({ count: 0, first: [] })

/** The report of a packet from those of its slices, in their order. */
export function mergeReports(reports: readonly JobReport[]): JobReport {
  const merged = createReport()
  for (const report of reports) merged.add(report)
  return merged.read()
}

export function createReport(): Report {
  const identities = new Map<string, Set<string>>()
  const missing = { originIds: none(), relationshipIds: none() }
  const skipped = nothingSkipped()
  let collapsed = 0

  function noteIdentity({ label, idProperty }: Pick<Identity, 'label' | 'idProperty'>) {
    const known = identities.get(label)
    if (known) known.add(idProperty)
    else identities.set(label, new Set([idProperty]))
  }

  function noteMissing(field: keyof typeof missing, ids: readonly string[]) {
    const { first } = missing[field]
    missing[field].count += ids.length
    let bytes = Buffer.byteLength(JSON.stringify(first))
    for (const id of ids.slice(0, firstIds - first.length)) {
      bytes += Buffer.byteLength(JSON.stringify(id)) + 1
      if (bytes > firstBytes) break
      first.push(id)
    }
  }

  return {
    identity: noteIdentity,
    missing: noteMissing,
    collapsed(relationships) {
      collapsed += relationships
    },
    skipped(kind) {
      skipped[kind]++
    },
    add(report) {
      for (const { label, property } of report.identities) noteIdentity({ label, idProperty: property })
      for (const field of ['originIds', 'relationshipIds'] as const) {
        const { count, first } = report.missing[field]
        noteMissing(field, first)
        missing[field].count += count - first.length
      }
      for (const kind of Object.keys(skipped) as (keyof Skipped)[]) skipped[kind] += report.skipped[kind]
      collapsed += report.collapsed
    },
    read: () => ({
      identities: [...identities].flatMap(([label, properties]) =>
        [...properties].map((property) => ({ label, property })),
      ),
      missing,
      skipped,
      collapsed,
    }),
  }
}
