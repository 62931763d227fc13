import { readLastHour } from '../../shared/jobs/ended.ts'
import { checked, failingChecks } from '../../shared/observability/health.ts'
import { openJobs, readQueue } from '../../shared/queue/depth.ts'
import { type RunsByTenant, readFleet } from '../../shared/queue/fleet.ts'
import { openRunsKey } from '../../shared/redis/keys.ts'
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
  const reading = Promise.all([
    readQueue(redis),
    checked(Promise.all([readFleet(redis), openJobs(redis), redis.hgetall(openRunsKey), readLastHour(redis)])),
  ])
  const found = await reading.catch(() => null)
  if (found === null) {
    return { queue: null, workers: null, jobs: null, orgs: null, lastHour: null, redis: null, lastSweep: null }
  }
  const [
    { depths, openRuns, oldestQueuedSeconds, callbacksDue, memoryBytes, memoryLimitBytes, lastSweep, paused },
    [fleet, jobs, open, lastHour],
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
    jobs,
    orgs: orgsOf(fleet.runs, open),
    lastHour,
    redis: { memoryBytes, memoryLimitBytes },
    lastSweep,
  }
}

/** Orgs in one overview. Beyond this limit it omits the least busy. */
const mostOrgs = 50

/** Who uses the slots and the queue. `open`: numbers of open runs, whose total is under ''. */
function orgsOf(runs: RunsByTenant, open: Record<string, string>): NonNullable<Overview['orgs']> {
  const names = new Set([...Object.keys(runs), ...Object.keys(open)])
  names.delete('')
  return [...names]
    .map((orgName) => ({ orgName, running: runs[orgName] ?? 0, openRuns: Math.max(0, Number(open[orgName] ?? 0)) }))
    .sort((a, b) => b.running - a.running || b.openRuns - a.openRuns || (a.orgName < b.orgName ? -1 : 1))
    .slice(0, mostOrgs)
}
