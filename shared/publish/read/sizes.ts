/** How many elements are read at once. Small sizes let tests cross every boundary with small graphs. */
export interface BuildSizes {
  /** Elements of a kind whose keys and values are read before such elements are read as columns. */
  sample: number
  /** The most relationships held at once, even if they are small: 20,000 take some 20 MB. */
  group: number
  /**
   * The most targeted nodes read at once, if they are small. All origin ids of a request fit into 1,000 (500, each possibly
   * stored as string and as integer), so that keep-lists and upserts come from the same rows. Memory holds the
   * relationships of one chunk, plus a few bytes for each relationship from a node already read to one that is not.
   */
  chunk: number
}

export const defaultSizes: BuildSizes = { sample: 50, group: 20_000, chunk: 1_000 }
