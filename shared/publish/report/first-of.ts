/** How much of a list is reported. */
export interface Bounds {
  count: number
  /** Size of the list's JSON. */
  bytes: number
}

/** The longest prefix within the bounds. */
export function firstOf<T>(all: readonly T[], most: Bounds): T[] {
  let bytes = 2
  const end = all.slice(0, most.count).findIndex((one) => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + 1
    return bytes > most.bytes
  })
  return all.slice(0, end === -1 ? most.count : end)
}
