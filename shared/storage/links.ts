import type { Generation, Generations } from './generations.ts'

/** How long a download link may be valid. */
export const longestLinkSeconds = 7 * 24 * 3_600

/**
 * For how many of `wantedSeconds` a link to a part of this generation may be valid; 0: none may be signed any more.
 *
 * Every link keeps its promise by one rule: it ends at the latest `longestLinkSeconds` after its packet was superseded, and
 * only later do sweeps take the parts. A link to the packet itself cannot break it, one to an earlier packet (a job's
 * result) is shortened. When a generation was created is told by its manifest, which is made just before.
 */
export async function linkLifetime(
  generations: Generations,
  name: string,
  { generation, manifest }: Generation,
  wantedSeconds: number,
  now = Date.now(),
): Promise<number> {
  const promised = (createdAt: string) => Math.floor((Date.parse(createdAt) - now) / 1_000) + longestLinkSeconds
  // It was not superseded before it was made: most links are to packets of the last days, and need no look.
  if (promised(manifest.createdAt) >= wantedSeconds) return wantedSeconds
  const { number: latest, highest } = await generations.latest(name)
  if (highest?.generation === generation) return wantedSeconds
  for (let above = generation + 1; above <= latest; above++) {
    const by = await generations.read(name, above)
    // Those above go after those below.
    if (by === null) break
    if (!by.isVoid) return Math.max(0, Math.min(wantedSeconds, promised(by.createdAt)))
  }
  return 0
}
