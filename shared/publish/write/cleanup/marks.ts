const blockSize = 1_024

/**
 * Marks for pairs of a targeted node, given by its position, and a relationship type: one bit each. Blocks of
 * neighbouring positions exist only where there is a mark, so that marks of a few nodes take little memory, however
 * many types there are.
 */
export function createMarks() {
  const blocksOf = new Map<string, Map<number, Uint8Array>>()
  return {
    add(position: number, type: string): void {
      const blocks = blocksOf.get(type) ?? new Map<number, Uint8Array>()
      blocksOf.set(type, blocks)
      const index = Math.floor(position / blockSize)
      const bits = blocks.get(index) ?? new Uint8Array(blockSize / 8)
      blocks.set(index, bits)
      const offset = position % blockSize
      bits[offset >>> 3] = (bits[offset >>> 3] as number) | (1 << (offset & 7))
    },
    has(position: number, type: string): boolean {
      const bits = blocksOf.get(type)?.get(Math.floor(position / blockSize))
      const offset = position % blockSize
      return bits !== undefined && ((bits[offset >>> 3] as number) & (1 << (offset & 7))) !== 0
    },
    /** Forgets the blocks that end before this position. */
    dropBefore(end: number): void {
      const first = Math.floor(end / blockSize)
      for (const [type, blocks] of blocksOf) {
        for (const index of blocks.keys()) if (index < first) blocks.delete(index)
        if (blocks.size === 0) blocksOf.delete(type)
      }
    },
  }
}
