/** Bytes that are copied faster one by one than by a call of the engine. */
const short = 128

/** Copies the bytes `from` to `to` into a buffer that has room for them. @returns how many they are */
export function copyBytes(bytes: Buffer, from: number, to: number, into: Buffer, at: number): number {
  if (to - from > short) return bytes.copy(into, at, from, to)
  for (let source = from, target = at; source < to; ) into[target++] = bytes[source++] as number
  return to - from
}

/** Whether a buffer begins with the bytes of another from `at` on. It looks from the end, where most lines differ. */
export function startsAt(bytes: Buffer, length: number, other: Buffer, at: number): boolean {
  for (let place = length - 1; place >= 0; place--) if (bytes[place] !== other[at + place]) return false
  return true
}
