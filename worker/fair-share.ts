import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet, RunsByTenant } from '../shared/queue/fleet.ts'

/** Abort reason: another tenant waits for the slot. */
export const handOver = Symbol('hand over')

const everyMs = 2_000

/** How many reports in a row must ask for a slot before a run is handed back. Most slots become free before that. */
const patience = 3

/** How long a run that must be alone waits for the others, before they are handed back. */
const usualAlonePatienceMs = 60_000
const lookEveryMs = 200

type Work = (signal: AbortSignal) => Promise<void>

interface Run {
  tenant: string
  alone: boolean
  abort: AbortController
}

/** Shares the slots of this worker between tenants. `createFleet` describes the rule. */
export function startFairShare(fleet: Fleet, alonePatienceMs = usualAlonePatienceMs) {
  const runs = new Set<Run>()
  /** Whether a run that must be alone is in progress, or waits for the others. */
  let isReserved = false
  let asked = 0

  /**
   * Runs by tenant. A run that is being handed back no longer counts, because its tenant has given up the slot. A run
   * that must be alone counts as all slots.
   */
  function held(): RunsByTenant {
    const counts: RunsByTenant = {}
    for (const { tenant, alone, abort } of runs)
      if (!abort.signal.aborted) counts[tenant] = (counts[tenant] ?? 0) + (alone ? fleet.slots : 1)
    return counts
  }

  async function othersEnded({ abort }: Run): Promise<void> {
    const deadline = performance.now() + alonePatienceMs
    while (runs.size > 1 && !abort.signal.aborted) {
      await delay(lookEveryMs)
      if (performance.now() < deadline || (await fleet.isPaused())) continue
      for (const other of runs) if (other.abort !== abort) other.abort.abort(handOver)
    }
  }

  async function runNow(tenant: string, alone: boolean, work: Work) {
    if (!(await fleet.mayStart(tenant, held()))) return false
    // Another run may have reserved the worker while Redis answered.
    if (isReserved && !alone) return false
    const run = { tenant, alone, abort: new AbortController() }
    runs.add(run)
    try {
      if (alone) {
        await othersEnded(run)
        // The queue may have been paused while this run waited.
        if (await fleet.isPaused()) return false
      }
      await work(run.abort.signal)
    } finally {
      runs.delete(run)
      await fleet.report(held()).catch(() => {})
    }
    return true
  }

  async function report(): Promise<void> {
    const greediest = await fleet.report(held())
    asked = greediest === null ? 0 : asked + 1
    if (asked < patience) return
    asked = 0
    // The youngest run has the least to lose.
    const youngest = [...runs].findLast(({ tenant, abort }) => tenant === greediest && !abort.signal.aborted)
    youngest?.abort.abort(handOver)
    await fleet.report(held())
  }

  // Without Redis no run starts or waits, so there is nothing to share.
  const timer = setInterval(() => void report().catch(() => {}), everyMs)
  return {
    /**
     * Runs `work` for a tenant; its signal aborts with `handOver` if the run must be handed back. With `alone` it starts
     * when all other runs of this worker have ended, and no other begins until it ends.
     * @returns false, without running `work`, if it must wait.
     */
    async run(tenant: string, alone: boolean, work: Work): Promise<boolean> {
      if (isReserved) return false
      isReserved = alone
      try {
        return await runNow(tenant, alone, work)
      } finally {
        if (alone) isReserved = false
      }
    },
    async stop() {
      clearInterval(timer)
      await fleet.leave()
    },
  }
}
