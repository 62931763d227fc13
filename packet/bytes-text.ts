const units = [
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const

/** A size for people: 60 MiB, 16 KiB, 3,000 bytes. */
export function bytesText(bytes: number): string {
  const whole = units.find(([, size]) => bytes >= size && bytes % size === 0)
  return whole ? `${bytes / whole[1]} ${whole[0]}` : `${bytes.toLocaleString('en')} bytes`
}
