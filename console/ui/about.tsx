import { number } from '../../client/format.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { Table } from './pieces.tsx'

type Shape = NonNullable<PacketManifest['shape']>
type Count = Shape['counts'][number]

const kindNames: Record<Count['kind'], string> = {
  nodeUpsert: 'node upsert',
  relationshipUpsert: 'relationship upsert',
  relationshipCreate: 'relationship create',
  cleanup: 'cleanup',
  deleteProperties: 'delete of properties',
  nodeDelete: 'delete of nodes',
  relationshipDelete: 'delete of relationships',
  postback: 'postback',
}

const keyOf = ({ kind, label, type, to }: Count): string => JSON.stringify([kind, label, type, to])

interface Props {
  shape: Shape
  before?: Shape | null | undefined
  /** What the two columns of a comparison are called. */
  names?: readonly [before: string, after: string]
}

/** What the pairs of a packet are about; `before`: of the packet that it replaces, for comparison. */
export function About({ shape, before, names: [then, now] = ['Now', 'After'] }: Props) {
  const { counts, others } = shape
  const earlier = new Map(before?.counts.map((count) => [keyOf(count), count]))
  const gone = [...earlier.values()].filter((count) => !counts.some((now) => keyOf(now) === keyOf(count)))
  const rows = [...counts, ...gone.map((count) => ({ ...count, count: 0 }))]
  const columns = [
    { title: 'Statement', of: ({ kind }: Count) => kindNames[kind] ?? kind },
    { title: 'Label', of: ({ label }: Count) => <bdi>{label}</bdi> },
    { title: 'Type', of: ({ type }: Count) => type && <bdi>{type}</bdi> },
    { title: 'To', of: ({ to }: Count) => to && <bdi>{to}</bdi> },
    ...(before
      ? [
          {
            title: then,
            of: (count: Count) => number.format(earlier.get(keyOf(count))?.count ?? 0),
            isNumber: true,
          },
        ]
      : []),
    { title: before ? now : 'Count', of: ({ count }: Count) => number.format(count), isNumber: true },
  ]
  const notListed = others > 0 ? `; ${number.format(others)} others are not listed` : ''
  return <Table caption={`What the pairs are about${notListed}`} columns={columns} rows={rows} isDense />
}
