import { type IdList, type InternalId, listIds } from '../../read/internal-ids.ts'

/** Internal ids of listed nodes, in ascending order. */
export type ListedIds = IdList

/** Ids in ascending order, as JSON: the difference to the id before, or a text beyond the integers of a float. */
export function encodeIds(nodes: IdList): Buffer {
  let before = 0
  const values = nodes.slice(0, nodes.length).map((id) => {
    if (typeof id !== 'number') return id
    const difference = id - before
    before = id
    return difference
  })
  return Buffer.from(JSON.stringify(values))
}

export function decodeIds(bytes: Buffer): IdList {
  let before = 0
  return listIds(
    (JSON.parse(bytes.toString()) as InternalId[]).map((value) => {
      if (typeof value !== 'number') return value
      before += value
      return before
    }),
  )
}
