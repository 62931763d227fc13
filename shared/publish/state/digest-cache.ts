import type { StoredState } from '../../storage/manifest.ts'
import { type KnownDigests, keepDigests } from './known-digests.ts'

/** Bases whose digests a process keeps although no run uses them: the slices of a job have one base. */
const unusedKept = 1

/** The digests of bases that runs of this process use. Runs with one base share a copy. */
export function createDigestCache() {
  const kept = new Map<string, { digests: Promise<KnownDigests>; users: number }>()

  function forgetUnused(): void {
    const unused = [...kept].filter(([, { users }]) => users === 0)
    for (const [key, { digests }] of unused.slice(0, Math.max(0, unused.length - unusedKept))) {
      kept.delete(key)
      digests.then((it) => it.close()).catch(() => {})
    }
  }

  return {
    /** `chunks`: the digests, read if they are not known. Call `release` after the last look-up. */
    async of(
      state: Pick<StoredState, 'sha256'>,
      chunks: AsyncIterable<Buffer>,
    ): Promise<{ known: KnownDigests; release: () => void }> {
      const { sha256 } = state
      const found = kept.get(sha256)
      const entry = found ?? { digests: keepDigests(chunks), users: 0 }
      // The one that was used last is forgotten last.
      kept.delete(sha256)
      kept.set(sha256, entry)
      entry.users++
      const release = () => {
        entry.users--
        forgetUnused()
      }
      try {
        return { known: await entry.digests, release }
      } catch (error) {
        if (kept.get(sha256) === entry) kept.delete(sha256)
        // Another run has read them, perhaps of another packet, which may have been removed.
        if (found) return this.of(state, chunks)
        throw error
      }
    },
  }
}
