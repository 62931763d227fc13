// What a value takes beside its text, and what one of several fields does: a datetime, a point.
const [ofValue, ofFields] = [32, 160]

/** What a row takes in memory, roughly. Texts of its own count by their length: a row has few, its lists may have any number. */
export function bytesOf(row: unknown): number {
  if (!Array.isArray(row)) return bytesInList(row)
  let bytes = ofValue
  // Most values are no lists: this runs for each row that is read.
  for (let index = 0; index < row.length; index++) {
    const one = row[index]
    if (typeof one === 'string') bytes += one.length
    else if (typeof one === 'object' && one !== null) bytes += bytesInList(one)
    else bytes += ofValue
  }
  return bytes
}

function bytesInList(value: unknown): number {
  if (typeof value === 'string') return ofValue + value.length
  if (typeof value !== 'object' || value === null) return ofValue
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (!Array.isArray(value)) return ofFields
  let bytes = ofValue
  for (let index = 0; index < value.length; index++) bytes += bytesInList(value[index])
  return bytes
}
