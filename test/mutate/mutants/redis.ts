import type { Mutant } from '../mutant.ts'

export const redis: readonly Mutant[] = [
  {
    file: 'shared/redis/connect.ts',
    what: 'after a failover behind one address every publish is refused until somebody restarts the programs',
    from: "if (refusalOf(error)?.remedy !== 'reconnect' ||",
    to: 'if (refusalOf(error) !== null ||',
    tests: ['faults/redis.connections-made-again'],
  },
  {
    file: 'shared/redis/connect.ts',
    what: 'a connection without answers stays for ever',
    from: '  socketTimeout: producerSilenceMs,\n',
    to: '',
    tests: ['faults/redis.connections-made-again'],
  },
  {
    file: 'shared/redis/connect.ts',
    what: 'a worker whose commands Redis refuses fills a processor',
    from: 'if (isErrorReply(error)) await delay(refusalMs)',
    to: '',
    tests: ['faults/redis.takes-rights-away'],
  },
  {
    file: 'shared/observability/log.ts',
    what: 'a worker whose commands Redis refuses fills the log',
    from: 'if (leftOut === null) return',
    to: '',
    tests: ['faults/redis.takes-rights-away'],
  },
  {
    file: 'shared/redis/fit.ts',
    what: 'a program starts in a cluster of Valkey, which refuses all of its scripts',
    from: "if (infoField(info, 'cluster_enabled') === '1')",
    to: "if (infoField(info, 'redis_mode') === 'cluster')",
    tests: ['integration/redis.refused-at-start'],
  },
  {
    file: 'shared/redis/fit.ts',
    what: 'a program starts as a Redis user who may not do its work',
    from: '    await requireRights(redis)\n',
    to: '',
    tests: ['integration/redis.refused-at-start'],
  },
  {
    file: 'shared/redis/promotable.ts',
    what: 'a job is accepted that a replica lacks which is being promoted, and is lost',
    from: "return isDown && Number(replica['s-down-time']) >= goneMs",
    to: "return isDown || hasFlag(replica, 'disconnected')",
    tests: ['unit/redis/promotable'],
  },
  {
    file: 'shared/redis/promotable.ts',
    what: 'a job is accepted by a primary that the Sentinels have replaced, and is lost',
    from: 'views.filter(({ primary }) => primary.runid === runId)',
    to: 'views.filter(() => runId)',
    tests: ['unit/redis/promotable'],
  },
  {
    file: 'shared/redis/connect.ts',
    what: 'a client that hears of a failover while it asks for the primary ends for good',
    from: '    this.disconnect()\n    return super.connect(...args)',
    to: '    return super.connect(...args)',
    tests: ['faults/redis.failover-while-reconnecting'],
  },
]
