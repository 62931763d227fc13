import { SourceBroken } from '../../../packet/broken.ts'
import { kinds, listIn } from '../../../packet/kinds/kinds.ts'
import type { Place } from '../../../packet/parts/parse-part.ts'
import type { Recognised } from '../../../packet/recognise.ts'

export type Parameters = Readonly<Record<string, unknown>>

/** A pair that has passed its checks, or a share of one that deletes many elements. */
export interface Item {
  place: Place
  recognised: Recognised
  parameters: Parameters
  /** The size of its parameters as JSON, approximately. */
  bytes: number
}

/** What batches need to know of an item. Only those with a list need their parameters. */
type Batched = Pick<Item, 'recognised' | 'bytes'> & { parameters: Parameters | null }

/** Items with the same statement, which one transaction runs as rows of one query. */
export interface Batch<T extends Batched = Item> {
  recognised: Recognised
  items: readonly T[]
}

const batchBytes = 4 * 1024 * 1024
// A delete of nodes locks and holds every relationship of its nodes.
const idsPerDelete = 500
// An id to delete counts as two rows, because a delete costs more than an upsert.
const rowsPerId = 2

/** Cuts items into batches of one statement each, in the order of the items. An item over the limits is alone. */
export function batchesOf<T extends Batched>(items: readonly T[], batchRows: number): Batch<T>[] {
  const batches: Batch<T>[] = []
  for (const alike of Map.groupBy(items, ({ recognised }) => recognised.statement).values()) {
    let [items, rows, bytes]: [T[], number, number] = [[], 0, 0]
    for (const item of alike.flatMap((one) => cut(one, mostOf(one, batchRows)))) {
      rows += rowsOf(item)
      bytes += item.bytes
      if (items.length > 0 && (rows > batchRows || bytes > batchBytes)) {
        batches.push(batchOf(items))
        ;[items, rows, bytes] = [[], rowsOf(item), item.bytes]
      }
      items.push(item)
    }
    batches.push(batchOf(items))
  }
  return batches
}

/** Both halves of a batch, or of its only item if that has a list; otherwise the batch itself. */
export function halvesOf<T extends Batched>({ items }: Batch<T>): Batch<T>[] {
  const [only, another] = items as readonly [T, T?]
  if (another === undefined) {
    return cut(only, Math.ceil((listOf(only)?.length ?? 1) / 2)).map((item) => batchOf([item]))
  }
  const middle = Math.ceil(items.length / 2)
  return [batchOf(items.slice(0, middle)), batchOf(items.slice(middle))]
}

const batchOf = <T extends Batched>(items: readonly T[]): Batch<T> => ({
  recognised: (items[0] as T).recognised,
  items,
})

const isNodeDelete = ({ recognised: { kind } }: Batched): boolean => kind === 'nodeDelete'

/** The rows that an item counts for: one with a list counts by its elements. */
const rowsOf = (item: Batched): number => (isNodeDelete(item) ? rowsPerId : 1) * (listOf(item)?.length ?? 0) || 1

/** The most elements that an item may have in its list. */
const mostOf = (item: Batched, batchRows: number): number =>
  isNodeDelete(item) ? Math.min(idsPerDelete, Math.max(1, Math.floor(batchRows / rowsPerId))) : batchRows

const listOf = ({ recognised, parameters }: Batched): unknown[] | null =>
  parameters === null ? null : listIn(recognised, parameters)

/** Cuts an item into several with at most `most` elements in their lists, which do the same. Leaves others unchanged. */
export function cut<T extends Batched>(item: T, most: number): T[] {
  const list = listOf(item)
  if (list === null || list.length <= most) return [item]
  const name = kinds[item.recognised.kind].list as string
  return Array.from({ length: Math.ceil(list.length / most) }, (_, at) => {
    const parameters = { ...item.parameters, [name]: list.slice(at * most, (at + 1) * most) }
    return { ...item, parameters, bytes: sizeOf(parameters) }
  })
}

/** @throws SourceBroken if a parameter is nested too deeply */
export function itemOf(parameters: Parameters, place: Place, recognised: Recognised): Item {
  const bytes = sizeOf(parameters)
  if (bytes === Number.POSITIVE_INFINITY)
    throw new SourceBroken(`pair ${place.pair} has a parameter nested more than ${deepest} levels deep`)
  return { place, recognised, parameters, bytes }
}

/** Lists and maps in one another in a parameter. Beyond this limit a replay refuses the packet as broken. */
const deepest = 100

/** Size of a value as JSON, approximately; infinite if it is nested too deeply. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  if (depth > deepest) return Number.POSITIVE_INFINITY
  let size = 2
  for (const [key, one] of Object.entries(value))
    size += (Array.isArray(value) ? 0 : key.length + 3) + sizeOf(one, depth + 1)
  return size
}
