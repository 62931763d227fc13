import { withTimeout } from '../lifecycle/timeout.ts'
import type { Link } from './link.ts'

/**
 * Time that connections to an origin stay open for later publishes. Beyond this limit they close, and the next publish
 * logs in again.
 */
export const keptMs = 30_000
/**
 * Publishes whose connections to origins one process keeps. Beyond this limit the least recently used connections
 * close.
 */
const mostKept = 32
/** An origin that is alive ends a transaction at once. */
const endingMs = 2_000

interface Entry {
  key: string
  link: Link
  timer: NodeJS.Timeout
}

/**
 * Keeps connections to origins between publishes, because logging in costs an origin more than a small publish. A key
 * names the user and the origin of connections. It must contain everything that distinguishes one user of one origin
 * from others, including the password. Connections, and with them the credentials, are kept until `keptMs` after they
 * were opened, however often they are used: after that, the next publish logs in again.
 */
export function createKeptOrigins(gauge: { set(count: number): void }) {
  const entries = new Set<Entry>()
  const ending = new Set<Promise<void>>()
  let isClosed = false

  function remove(entry: Entry): Link {
    clearTimeout(entry.timer)
    entries.delete(entry)
    gauge.set(entries.size)
    return entry.link
  }

  const discard = ({ guard }: Link) => guard.close().catch(() => {})

  async function keepOnce(ended: Promise<unknown>, key: string, link: Link): Promise<void> {
    const isEnded = await withTimeout(ended, endingMs).then(
      () => true,
      () => false,
    )
    const left = link.openedAt + keptMs - performance.now()
    if (!isEnded || isClosed || left <= 0) return discard(link)
    const entry: Entry = { key, link, timer: setTimeout(() => discard(remove(entry)), left).unref() }
    entries.add(entry)
    const [oldest] = entries
    if (entries.size > mostKept && oldest) await discard(remove(oldest))
    gauge.set(entries.size)
  }

  return {
    /** Gives the caller alone the connections that were kept last under this key; null if there are none. */
    take(key: string): Link | null {
      const found = [...entries].findLast((entry) => entry.key === key)
      return found ? remove(found) : null
    },
    /** Keeps connections when `ended` has resolved; closes them if it rejects or takes long, or if they are too old. */
    keep(key: string, link: Link, ended: Promise<unknown>): void {
      const kept = keepOnce(ended, key, link).finally(() => ending.delete(kept))
      ending.add(kept)
    },
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...ending, ...[...entries].map(remove).map(discard)])
    },
  }
}

export type KeptOrigins = ReturnType<typeof createKeptOrigins>
