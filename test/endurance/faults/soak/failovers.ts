import { failoversOf } from '../../../support/faults/failovers.ts'
import type { SentinelGroup } from '../../../support/faults/sentinel-group.ts'
import type { Fault } from './faults.ts'

/** Replicas lag by less, so what Redis had this long before a failover survives it. */
const lagMs = 1_000

/** During the fault another member may become the primary. Everything accepted survives this. */
export function mayFailOver(group: SentinelGroup, fault: Fault): Fault {
  return async (broken, seconds) => {
    const ends = broken.world.rollbacks.beginFailover(performance.now() - lagMs)
    await fault(broken, seconds)
    await group.settled()
    ends()
  }
}

/** Faults of the primary that last until another member has taken its place. */
export function failoverFaults(group: SentinelGroup): Record<string, Fault> {
  const faults = failoversOf(group).map(([name, begin, end]): [string, Fault] => [
    `primary ${name}`,
    mayFailOver(group, async (_, seconds) => {
      const before = await group.primary()
      await begin(before)
      await group.promoted(before)
      await seconds(6)
      await end(before)
    }),
  ])
  return Object.fromEntries(faults)
}
