import type { Member, SentinelGroup } from './sentinel-group.ts'

/** What becomes of the primary of a group, and how that ends once another member has taken its place. */
export type Failover = [name: string, begin: (primary: Member) => unknown, end: (primary: Member) => unknown]

export function failoversOf(group: SentinelGroup): Failover[] {
  async function freezeAfterRestart(primary: Member): Promise<void> {
    await group.restartSentinels()
    primary.freeze()
  }
  return [
    ['is replaced on purpose', () => group.failOver(), () => {}],
    ['is frozen', (it) => it.freeze(), (it) => it.wake()],
    ['is frozen after the Sentinels were restarted', freezeAfterRestart, (it) => it.wake()],
    ['is cut off', (it) => it.proxy.refuse(true), (it) => it.proxy.refuse(false)],
    ['is killed', (it) => it.kill(), (it) => it.restart()],
  ]
}
