import type { SelectionReport } from '../../../wire/job.ts'
import { mostLabels } from '../../read/selection.ts'
import { firstOf } from './first-of.ts'

const firstIndices = { count: 100, bytes: 2_000 }
const firstLabels = { count: mostLabels, bytes: 2_000 }

/** What became of the selections of a publish. Contract 4.22. */
export function createSelectionReport() {
  let listing: Pick<SelectionReport, 'from' | 'to' | 'nodes'> | null = null
  let gone = 0
  const indices = new Map<string, SelectionReport['indices'][number]>()
  const withoutIdentity = new Map<string, number>()

  const self = {
    add(one: Pick<SelectionReport, 'from' | 'to' | 'nodes' | 'indices'>): void {
      const { from, to } = listing ?? one
      const first = from !== null && (one.from === null || from < one.from) ? from : one.from
      const last = to !== null && (one.to === null || to > one.to) ? to : one.to
      listing = { from: first, to: last, nodes: (listing?.nodes ?? 0) + one.nodes }
      for (const index of one.indices) indices.set(JSON.stringify([index.label, index.property]), index)
    },
    gone(nodes: number): void {
      gone += nodes
    },
    withoutIdentity(label: string, nodes = 1): void {
      withoutIdentity.set(label, (withoutIdentity.get(label) ?? 0) + nodes)
    },
    merge(other: SelectionReport): void {
      self.add(other)
      gone += other.gone
      for (const { label, nodes } of other.withoutIdentity) self.withoutIdentity(label, nodes)
    },
    /** Nothing, if no request selects nodes. */
    read(): { selection?: SelectionReport } {
      if (listing === null && gone === 0 && withoutIdentity.size === 0) return {}
      const counted = [...withoutIdentity].map(([label, nodes]) => ({ label, nodes }))
      return {
        selection: {
          ...(listing ?? { from: null, to: null, nodes: 0 }),
          gone,
          indices: firstOf([...indices.values()], firstIndices),
          withoutIdentity: firstOf(counted, firstLabels),
        },
      }
    },
  }
  return self
}
