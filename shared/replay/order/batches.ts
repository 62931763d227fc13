import type { Pair, Place } from '../pair.ts'
import type { Recognised } from '../recognise.ts'

/** A pair that is ready to run; a node delete of many ids is several. */
export interface Item {
  pair: Pair
  place: Place
  recognised: Recognised
  parameters: Readonly<Record<string, unknown>>
  /** Of its parameters as JSON, approximately. */
  bytes: number
}

/** Items with one text, which one transaction runs as rows of one query. */
export interface Batch {
  recognised: Recognised
  items: readonly Item[]
}

const batchBytes = 4 * 1024 * 1024
// A delete locks and holds every relationship of its nodes.
const idsPerDelete = 500

/** Cuts items into batches of one text each, in the order of the items. A larger item is alone. */
export function batchesOf(items: readonly Item[], batchRows: number): Batch[] {
  const batches: Batch[] = []
  for (const alike of Map.groupBy(items, ({ pair }) => pair.statement).values()) {
    let batch = { items: [] as Item[], rows: 0, bytes: 0 }
    for (const item of alike) {
      const rows = batch.rows + rowsOf(item)
      const bytes = batch.bytes + item.bytes
      const isFull = batch.items.length > 0 && (rows > batchRows || bytes > batchBytes)
      if (isFull) batches.push(batchOf(batch.items))
      batch = isFull ? { items: [item], rows: rowsOf(item), bytes: item.bytes } : { items: batch.items, rows, bytes }
      if (!isFull) batch.items.push(item)
    }
    batches.push(batchOf(batch.items))
  }
  return batches
}

/** Both halves of a batch of more than one item. */
export function halvesOf({ items }: Batch): Batch[] {
  const middle = Math.ceil(items.length / 2)
  return [batchOf(items.slice(0, middle)), batchOf(items.slice(middle))]
}

const batchOf = (items: readonly Item[]): Batch => ({ recognised: (items[0] as Item).recognised, items })

/** A delete counts by its ids, and twice, as it costs more than an upsert. */
function rowsOf({ recognised, parameters }: Item): number {
  return recognised.kind === 'nodeDelete' && Array.isArray(parameters.ids) ? 2 * parameters.ids.length : 1
}

/** The items of one pair. Node deletes of disjoint ids delete what one of all does. */
export function itemsOf(pair: Pair, place: Place, recognised: Recognised): Item[] {
  const { ids } = pair.parameters
  const lists =
    recognised.kind === 'nodeDelete' && Array.isArray(ids) && ids.length > idsPerDelete
      ? Array.from({ length: Math.ceil(ids.length / idsPerDelete) }, (_, at) => ({
          ids: ids.slice(at * idsPerDelete, (at + 1) * idsPerDelete),
        }))
      : [pair.parameters]
  return lists.map((parameters) => ({ pair, place, recognised, parameters, bytes: sizeOf(parameters) }))
}

/** Size of a value as JSON, approximately. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  for (const [key, one] of Object.entries(value)) size += (Array.isArray(value) ? 0 : key.length + 3) + sizeOf(one)
  return size
}
