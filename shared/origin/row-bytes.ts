/** What a value of a row takes in memory, roughly: texts and lists by their length. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 32
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (!Array.isArray(value)) return 32
  let bytes = 32
  // Most values are no lists: this runs for each row that is read.
  for (let index = 0; index < value.length; index++) {
    const one = value[index]
    if (typeof one === 'string') bytes += one.length
    else if (typeof one === 'object' && one !== null) bytes += bytesOf(one)
    else bytes += 32
  }
  return bytes
}
