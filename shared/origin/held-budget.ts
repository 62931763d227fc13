import { getHeapStatistics } from 'node:v8'

/** The part of a process's budget that the connections of one driver use. */
export interface Share {
  readonly bytes: number
  /** Whose bytes they are. Kept connections may serve another tenant later. */
  tenant: string
  /** Adds or subtracts bytes. If the budget is exceeded, the largest share of the largest tenant is refused. */
  change(bytes: number): void
}

/**
 * Limits the memory that a process uses for data from origins, for all builds together. When all shares together exceed
 * the limit, refuses the largest share of the tenant that holds the most. Nobody waits, so shares cannot wait for one
 * another. A tenant that holds little is never refused because another tenant holds much, even if in many builds.
 */
export function createHeldBudget(limitBytes: number) {
  const holders = new Map<Share, () => void>()
  let total = 0
  return {
    /** `refuse` must free everything: from then on the share counts as empty. */
    open(tenant: string, refuse: () => void): Share {
      let held = 0
      const share: Share = {
        tenant,
        get bytes() {
          return held
        },
        change(bytes) {
          total += Math.max(bytes, -held)
          held = Math.max(0, held + bytes)
          if (held > 0) holders.set(share, release)
          else holders.delete(share)
          while (total > limitBytes) largest()?.()
        },
      }
      const release = () => {
        share.change(-held)
        refuse()
      }
      return share
    },
  }

  function largest(): (() => void) | undefined {
    const sums = new Map<string, number>()
    for (const { tenant, bytes } of holders.keys()) sums.set(tenant, (sums.get(tenant) ?? 0) + bytes)
    const [greediest] = [...sums].sort(([, a], [, b]) => b - a)[0] ?? []
    const theirs = [...holders].filter(([{ tenant }]) => tenant === greediest)
    return theirs.sort(([a], [b]) => b.bytes - a.bytes)[0]?.[1]
  }
}

/** A third of the heap: the rest is for rows being written, parts and the program. */
export const processBudget = createHeldBudget(getHeapStatistics().heap_size_limit / 3)
