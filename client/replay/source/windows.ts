import { type LoadedPart, type LoadSettings, loadPart, type PacketSource, readPart } from './load-part.ts'

export interface WindowSettings extends LoadSettings {
  /** Limit of the JSON of a window, bytes. */
  windowBytes: number
}

/** Two windows are in memory at once, each with the values or the packed rows of its pairs. */
export const usualWindowBytes = 8 * 1024 * 1024

/**
 * Reads and checks parts window by window, in their order; while a window is in use, the next part is read. A window is
 * handed out when all its parts have passed their checks. A part over the limit is a window of its own. `kept` makes
 * what a window holds of a part.
 */
export async function* windowsOf<T = LoadedPart>(
  source: PacketSource,
  indexes: readonly number[],
  { recognise, windowBytes, signal }: WindowSettings,
  kept: (part: LoadedPart, stored: Buffer) => T = (part) => part as T,
): AsyncGenerator<T[]> {
  const read = (at: number): Promise<Buffer> | null => {
    const index = indexes[at]
    if (index === undefined) return null
    const reading = readPart(source, index, signal)
    // It may fail while nobody waits for it yet.
    reading.catch(() => {})
    return reading
  }
  let next = read(0)
  let window: T[] = []
  let bytes = 0
  for (const [at, index] of indexes.entries()) {
    const stored = (await next) as Buffer
    if (bytes > 0 && bytes + stored.length > windowBytes) {
      yield window
      window = []
      bytes = 0
    }
    next = read(at + 1)
    window.push(kept(loadPart(source, index, stored, recognise), stored))
    bytes += stored.length
  }
  if (window.length > 0) yield window
}
