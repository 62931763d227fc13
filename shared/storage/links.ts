import type { Generation } from './generation-reader.ts'
import type { Generations } from './generations.ts'

/** Maximum lifetime of a download link. */
export const longestLinkSeconds = 7 * 24 * 3_600

/**
 * Lifetime in seconds, up to `wantedSeconds`, of a link to a part of this generation; 0: no link may be signed.
 *
 * Links work until they expire because each ends at most `longestLinkSeconds` after its packet was superseded, and
 * sweeps remove the parts only later. A link to the current packet satisfies this rule; one to an earlier packet (a
 * job's result) is shortened. A generation's creation time is that of its manifest, which is made just before.
 */
export async function linkLifetime(
  generations: Generations,
  name: string,
  { generation, manifest }: Generation,
  wantedSeconds: number,
  now = Date.now(),
): Promise<number> {
  const promised = (createdAt: string) => Math.floor((Date.parse(createdAt) - now) / 1_000) + longestLinkSeconds
  // Fast path: it cannot be superseded before its creation, and most links are to packets of the last days.
  if (promised(manifest.createdAt) >= wantedSeconds) return wantedSeconds
  const { number: latest, highest } = await generations.latest(name)
  if (highest?.generation === generation) return wantedSeconds
  for (let above = generation + 1; above <= latest; above++) {
    const by = await generations.read(name, above)
    // Sweeps go in ascending order: if this one is gone, those below are treated as expired.
    if (by === null) break
    if (!by.isVoid) return Math.max(0, Math.min(wantedSeconds, promised(by.createdAt)))
  }
  return 0
}
