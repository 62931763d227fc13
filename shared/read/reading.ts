import type { Cursor } from '../../packet/packstream/cursor.ts'
import type { Origin } from '../origin/connect.ts'
import { LabelSets } from '../origin/labels.ts'
import { malformed, originCursor } from '../origin/origin-cursor.ts'
import { type RowSource, sourceOf } from '../origin/properties.ts'
import type { Rows } from '../origin/rows.ts'
import { Shapes } from '../origin/shapes.ts'
import type { Masker } from '../request/mask/masker.ts'
import type { Plan } from '../request/plan.ts'

/** How many elements are read at once. Small sizes let tests cross every boundary with small graphs. */
export interface BuildSizes {
  /** Rows of a kind that are read first, to learn their size. */
  probe: number
  /** The most relationships held at once, even if they are small: 20,000 take some 20 MB. */
  group: number
  /**
   * The most targeted nodes read at once, if they are small. All origin ids of a request fit into 1,000 (500, each
   * possibly stored as string and as integer), so that keep-lists and upserts come from the same rows. Memory holds the
   * relationships of one chunk, plus a few bytes for each relationship from a node already read to one that is not.
   */
  chunk: number
}

export const defaultSizes: BuildSizes = { probe: 10, group: 20_000, chunk: 1_000 }

/** What earlier reads of one origin have learned, for later reads. */
export interface Learned {
  shapes: Record<'nodes' | 'relationships' | 'farEnds', Shapes>
  labels: Record<'nodes' | 'farEnds', LabelSets>
  /** The average size of a row, by kind of row. */
  rowBytes: Map<string, number>
  /** Types and directions to count before reading: the previous nodes had more relationships than fit in one read. */
  counted: Set<string>
}

export const nothingLearned = (): Learned => ({
  shapes: { nodes: new Shapes(), relationships: new Shapes(), farEnds: new Shapes() },
  labels: { nodes: new LabelSets(), farEnds: new LabelSets() },
  rowBytes: new Map(),
  counted: new Set(),
})

/** What reads depend on. */
export interface Reading extends Learned {
  origin: Origin
  plan: Plan
  /** Masks what was read; absent: nothing is masked. */
  masker?: Masker | undefined
  sizes: BuildSizes
}

/** Elements that were read together. Their properties stay readable until `release` is called. */
export interface Found<Element> {
  elements: Element[]
  release(): void
}

/** The elements that are not in this set, which is mostly empty. */
export const withoutThese = <One>(elements: One[], gone: ReadonlySet<One>): One[] =>
  gone.size === 0 ? elements : elements.filter((one) => !gone.has(one))

/** Rows to read. */
export interface RowQuery {
  query: string
  parameters: Record<string, unknown>
  /** Identifies rows that probably have the same size. */
  kind: string
  /** The maximum number of rows, if known. */
  count?: number
  /** Read no more rows than this. Default: any number. */
  atMost?: number
  /** A single row, which is read whatever its size. */
  isOne?: boolean
}

// Target size of rows read at once. Rows of two requests may exist: one being written, one read ahead.
const bytesAtOnce = 16 * 1024 * 1024
/** Bytes of rows that are read together. Beyond this limit the service abandons the read, and reads fewer rows. */
const mostBytes = 24 * 1024 * 1024

/** How many rows of a kind may be read at once, given their known size. */
export const rowsAtOnce = ({ rowBytes }: Learned, kind: string): number =>
  Math.max(1, Math.floor(bytesAtOnce / Math.max(1, rowBytes.get(kind) ?? 0)))

/**
 * Reads all these rows.
 * @returns null if they are more than `atMost`, or take more than may be held at once; how many may be read is then
 * known.
 */
export async function readRows(reading: Reading, query: RowQuery): Promise<Rows | null> {
  const { atMost = Number.POSITIVE_INFINITY } = query
  const rows = await readAll(reading, query)
  // Rows of elements that no longer exist count too, because they may have displaced others.
  if (rows === null || rows.length <= atMost) return rows
  rows.release()
  return null
}

async function readAll(reading: Reading, { query, parameters, kind, count = 0, isOne }: RowQuery) {
  const { origin, rowBytes, sizes } = reading
  if (isOne) {
    const { rows } = await origin.rows(query, parameters)
    if (rows === null || rows.length > 1) throw malformed('one element has several rows')
    return rows
  }
  if (!rowBytes.has(kind)) {
    // Without this, large rows would be sent by the thousand before their size is known.
    const probe = await origin.rows(`${query} LIMIT ${sizes.probe}`, parameters, mostBytes)
    rowBytes.set(kind, probe.rowBytes)
    // A result of fewer rows is complete.
    if (probe.rows && probe.rows.length < sizes.probe) return probe.rows
    probe.rows?.release()
  }
  if (count > rowsAtOnce(reading, kind)) return null
  const read = await origin.rows(query, parameters, mostBytes)
  // A few large rows shrink reads only for a while: each complete read halves the known size, if its rows are smaller.
  const known = rowBytes.get(kind) as number
  rowBytes.set(kind, Math.max(read.rowBytes, read.rows === null ? known : known / 2))
  return read.rows
}

/**
 * Keys and labels that elements read together do not share. Beyond this limit the service reads fewer rows. This many
 * take about 40 MB.
 */
const mostMade = 500_000

/**
 * Reads an element from each row; leaves out rows for which `read` returns null.
 * @returns null, and releases the rows, if the elements take too much memory; fewer may be read at once then.
 * @throws originBroke (502) if a row is malformed
 */
export function elementsOf<Element>(
  reading: Learned,
  rows: Rows,
  kind: string,
  read: (cursor: Cursor, source: RowSource) => Element | null,
): { elements: Element[]; source: RowSource } | null {
  const source = sourceOf(rows)
  const cursor = originCursor()
  const elements: Element[] = []
  const most = madeSoFar(reading) + mostMade
  for (let index = 0, { length } = rows; index < length; index++) {
    cursor.openRecord(rows.bytes, rows.start(index), rows.end(index))
    const element = read(cursor, source)
    cursor.endRecord()
    if (element !== null) elements.push(element)
    if (madeSoFar(reading) <= most || length === 1) continue
    rows.release()
    reading.rowBytes.set(kind, bytesAtOnce / Math.max(1, index >> 1))
    return null
  }
  return { elements, source }
}

const madeSoFar = ({ shapes, labels }: Learned) =>
  shapes.nodes.made + shapes.relationships.made + shapes.farEnds.made + labels.nodes.made + labels.farEnds.made
