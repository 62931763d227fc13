import type { Fault } from './faults.ts'

/** A Redis that answers and yet does not serve, until its administrator mends it. */
export const redisFaults: Record<string, Fault> = {
  async 'redis takes rights away'({ redis }, seconds) {
    const setRights = (...rules: string[]) =>
      redis.asAdministrator((admin) => admin.call('ACL', 'SETUSER', 'default', ...rules))
    await setRights('-eval', '-evalsha')
    await seconds(6)
    await setRights('+@all')
  },
  async 'redis full'({ redis }, seconds) {
    const limit = (bytes: string) => redis.asAdministrator((admin) => admin.config('SET', 'maxmemory', bytes))
    await limit('1')
    await seconds(6)
    await limit('0')
  },
  async 'redis closes idle connections'({ redis }, seconds) {
    const closeAfter = (seconds: string) => redis.asAdministrator((admin) => admin.config('SET', 'timeout', seconds))
    await closeAfter('1')
    await seconds(12)
    await closeAfter('0')
  },
  // Reads of old connections succeed, so a program must notice that its writes are refused.
  async 'redis moves behind its address'({ redis, world }, seconds) {
    const knownAt = performance.now()
    const replica = await redis.replica()
    await seconds(4)
    // Until the old primary follows, old connections read what the new one does not have.
    const ends = world.rollbacks.beginFailover(knownAt)
    await replica.overtake(() => world.rollbacks.add(knownAt))
    world.rollbacks.add(knownAt)
    ends()
    // The test's own connection stayed with the old primary, too.
    world.redis.disconnect(true)
    await seconds(6)
  },
  // Nobody closes them: a program must notice that its commands get no answer.
  async 'redis connections frozen'({ redis }, seconds) {
    redis.freezeConnections()
    await seconds(3)
  },
}
