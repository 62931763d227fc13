import { AppError } from '../errors/app-error.ts'
import type { CommitOptions, Generations } from './generations.ts'
import { expiringAfter, isDamage, type Manifest } from './manifest.ts'

interface Packet {
  /** The staged manifest. The commit replaces its `createdAt`, because the life of the packet begins then. */
  staged: Manifest
  /** What the packet holds. */
  content: object
  /** Days that the packet lives; null: for ever. */
  days: number | null
  /** Removes the parts of this publisher. */
  discard: () => Promise<void>
}

/**
 * Commits staged parts as the next generation of a packet, or discards them if the store certainly has no manifest of
 * this publisher. After `storeAway`, `packetDamaged` or an unexpected error it may have one.
 * @throws what `Generations.commit` throws
 */
export async function commitStaged(
  generations: Generations,
  name: string,
  { staged, content, days, discard }: Packet,
  options: CommitOptions,
): Promise<{ generation: number; manifest: Manifest }> {
  const manifest = expiringAfter(days, { ...staged, createdAt: new Date(generations.now()).toISOString(), content })
  try {
    return { generation: await generations.commit(name, manifest, options), manifest }
  } catch (error) {
    const isCertain = error instanceof AppError && error.code !== 'storeAway' && !isDamage(error)
    if (isCertain) await discard().catch(() => {})
    throw error
  }
}
