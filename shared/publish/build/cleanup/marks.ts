/** Marks for pairs of a targeted node, given by its position, and a relationship type: one bit each. */
export function createMarks(length: number) {
  const bitsOf = new Map<string, Uint8Array>()
  return {
    add(position: number, type: string): void {
      const bits = bitsOf.get(type) ?? new Uint8Array(Math.ceil(length / 8))
      bitsOf.set(type, bits)
      bits[position >>> 3] = (bits[position >>> 3] as number) | (1 << (position & 7))
    },
    has: (position: number, type: string): boolean =>
      ((bitsOf.get(type)?.[position >>> 3] ?? 0) & (1 << (position & 7))) !== 0,
  }
}
