import { checked, failingChecks } from '../../shared/observability/health.ts'
import { readQueue } from '../../shared/queue/depth.ts'
import { readFleet } from '../../shared/queue/fleet.ts'
import { type Overview, overviewBody } from '../../wire/overview.ts'
import type { ApiContext } from '../context.ts'
import { apiChecks } from '../health.ts'
import { allOrgs } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

/** Contract 9, service: what an operator looks at first. It also answers while dependencies are down. */
export const overview = defineEndpoint({
  method: 'get',
  path: '/1.0/ops/overview',
  summary: 'The queue, the workers and the dependencies; for tokens with all orgs',
  scope: 'ops:read',
  access: allOrgs,
  answer: overviewBody,
  async handle(context) {
    const [dependencies, redis] = await Promise.all([dependenciesOf(context), queueAndWorkers(context)])
    const { dashboardUrl = null } = context.config.api.console ?? {}
    return { kind: 'json', value: { dependencies, ...redis, dashboardUrl } }
  },
})

async function dependenciesOf(context: ApiContext): Promise<Record<string, 'up' | 'down'>> {
  const { models } = context
  const checks = { ...apiChecks(context), ...(models ? { 'manager database': () => models.ping() } : {}) }
  const down = await failingChecks(checks)
  return Object.fromEntries(Object.keys(checks).map((name) => [name, down.has(name) ? 'down' : 'up']))
}

async function queueAndWorkers({
  redis,
  config,
}: ApiContext): Promise<Omit<Overview, 'dependencies' | 'dashboardUrl'>> {
  const reading = Promise.all([readQueue(redis), checked(readFleet(redis))])
  const found = await reading.catch(() => null)
  if (found === null) return { queue: null, workers: null, redis: null, lastSweep: null }
  const [
    { depths, openRuns, oldestQueuedSeconds, callbacksDue, memoryBytes, memoryLimitBytes, lastSweep, paused },
    fleet,
  ] = found
  return {
    queue: {
      waiting: depths.wait + depths.prioritized,
      delayed: depths.delayed,
      running: depths.active,
      waitingForSlices: depths['waiting-children'],
      openRuns,
      openRunsLimit: config.limits.queuedJobs,
      oldestWaitSeconds: oldestQueuedSeconds,
      callbacksDue,
      paused,
    },
    workers: { count: fleet.workers, slots: fleet.slots, busy: fleet.busy },
    redis: { memoryBytes, memoryLimitBytes },
    lastSweep,
  }
}
