import type { Generation, Generations } from './generations.ts'
import { hasExpired, type Manifest } from './manifest.ts'

/** Time that a download link works. Beyond this limit the answer is `400 invalidRequest`. */
export const longestLinkSeconds = 7 * 24 * 3_600

/**
 * Lifetime in seconds, up to `wantedSeconds`, of a link to a part of this generation; 0: no link may be signed.
 *
 * Links work until they expire because each ends at most `longestLinkSeconds` after its packet was superseded, and
 * sweeps remove the parts only later. A link to the current packet satisfies this rule; a link to an earlier packet (a
 * job's result) is shortened. A generation counts as created when its manifest was made, just before the commit. If
 * the packet expires, signing shortens the link further (`untilExpiry`).
 */
export async function linkLifetime(
  generations: Generations,
  name: string,
  { generation, manifest }: Pick<Generation, 'generation'> & { manifest: Pick<Manifest, 'createdAt' | 'expiresAt'> },
  wantedSeconds: number,
  now = generations.now(),
): Promise<number> {
  if (hasExpired(manifest, now)) return 0
  const promised = (createdAt: string) => Math.floor((Date.parse(createdAt) - now) / 1_000) + longestLinkSeconds
  // Fast path: nothing supersedes a generation before its creation, and most links are to packets of the last days.
  if (promised(manifest.createdAt) >= wantedSeconds) return wantedSeconds
  const { highest } = await generations.latest(name)
  if (highest?.generation === generation) return wantedSeconds
  // Sweeps removed the generations that are missing in between. These were void, or had been superseded for longer than
  // a link lives. The generation found here superseded the last of them that was not void.
  for (const above of await generations.list(name)) {
    const by = above > generation ? await generations.read(name, above) : null
    if (by && !by.isVoid) return Math.max(0, Math.min(wantedSeconds, promised(by.createdAt)))
  }
  return 0
}

/**
 * Lifetime in whole seconds, at least 1 and at most `wantedSeconds`, of a link to a file; rounded down, because a link
 * ends no later than its packet (contract 6). `expiresAt`: ISO 8601; absent: never. `now`: by the clock of the store.
 */
export function untilExpiry(expiresAt: string | undefined, wantedSeconds: number, now: number): number {
  if (expiresAt === undefined) return wantedSeconds
  const left = Math.floor((Date.parse(expiresAt) - now) / 1_000)
  // S3 has no shorter link; and the file may have expired since it was found.
  return Math.max(1, Math.min(wantedSeconds, left))
}
