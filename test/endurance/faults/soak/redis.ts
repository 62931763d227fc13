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
  // Nobody closes them: a program must notice that its commands get no answer.
  async 'redis connections frozen'({ redis }, seconds) {
    redis.freezeConnections()
    await seconds(3)
  },
}
