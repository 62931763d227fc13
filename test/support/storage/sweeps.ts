import type { Storage } from '../../../shared/storage/storage.ts'
import { type SweepRules, sweepStorage } from '../../../shared/storage/sweep.ts'

export const hour = 3_600_000

/** Sweeps as if an hour had passed; by default every grace period is zero and no job is alive. */
export const sweep = (storage: Storage, rules: Partial<SweepRules> = {}) =>
  sweepStorage(storage, {
    now: Date.now() + hour,
    supersededMs: 0,
    orphanedMs: 0,
    isAlive: async () => false,
    refresh: async () => {},
    unreadable: (_, error) => {
      throw error
    },
    signal: new AbortController().signal,
    ...rules,
  })

export const nothing = { expired: 0, generations: 0, parts: 0, requests: 0, probes: 0 }
