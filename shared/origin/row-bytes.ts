// Overhead of a value besides its text, and size of a value with several fields, such as a datetime or a point.
const [ofValue, ofFields] = [32, 160]

/**
 * Approximate memory of a row. Strings directly in the row count by their length alone, as they are few; strings in
 * lists also count their overhead.
 */
export function bytesOf(row: unknown): number {
  if (!Array.isArray(row)) return bytesInList(row)
  let bytes = ofValue
  // Hot path, run for each row: most values are not lists.
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
