import type { Config } from '../shared/config/config.ts'
import { createJobRecords } from '../shared/jobs/job-records.ts'
import { createPacketViews } from '../shared/jobs/packet-views.ts'
import { createSecrets } from '../shared/jobs/stored/secrets.ts'
import { collect } from '../shared/lifecycle/collect.ts'
import { createFailpoint } from '../shared/lifecycle/failpoint.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import type { Logger } from '../shared/observability/log.ts'
import { createMetrics, observeStore } from '../shared/observability/metrics.ts'
import { createDigestCache } from '../shared/publish/state/digest-cache.ts'
import { createFleet } from '../shared/queue/fleet.ts'
import { openQueuesAndOrigins } from '../shared/queue/queues-and-origins.ts'
import { connectPatient } from '../shared/redis/connect.ts'
import { openRedis } from '../shared/redis/fit.ts'
import { openStorage } from '../shared/storage/storage.ts'
import type { ObjectStore } from '../shared/store/object-store.ts'
import { startFairShare } from './fair-share.ts'
import { createRunsInProgress } from './runs-in-progress.ts'

/** How long the request of an ended job may wait for others, to be removed with them. */
const endedMs = 500

const removeEnded = (store: ObjectStore, keys: readonly string[], log: Logger) =>
  store.removeMany(keys).catch((error) => log.warn({ err: error }, 'requests of ended jobs stay until a sweep'))

/** Dependencies of a job. */
export type WorkerContext = Awaited<ReturnType<typeof createWorkerContext>>

export async function createWorkerContext(config: Config, log: Logger, releases: Releases) {
  const redis = releases.add('redis', connectPatient(config.redis, log), (it) => it.disconnect())
  await openRedis(redis)
  const metrics = createMetrics()
  const storage = await openStorage(config.storage, observeStore(metrics))
  const fleet = createFleet(redis, config.worker.concurrency)
  const fairShare = releases.add('share of the slots', startFairShare(fleet), (it) => it.stop())
  return {
    ...storage,
    config,
    log,
    metrics,
    redis,
    records: createJobRecords(redis),
    secrets: createSecrets(redis, config.secretKeys),
    ...openQueuesAndOrigins(redis, metrics, releases),
    views: releases.add(
      'views of packets',
      createPacketViews(redis, storage, { isEnabled: config.storage.plainFiles, log, metrics }),
      (it) => it.settled(),
    ),
    /** The requests of ended jobs, which nobody waits for. If the worker dies, a sweep removes them. */
    endedRequests: releases.add(
      'requests of ended jobs',
      collect((keys: readonly string[]) => removeEnded(storage.store, keys, log), endedMs),
      (it) => it.done(),
    ),
    /** Digests of the bases that runs of this process compare with. */
    digests: createDigestCache(),
    failpoint: createFailpoint(config.failpoint, config.worker.lockSeconds),
    runs: createRunsInProgress(config.worker.concurrency, metrics),
    fairShare,
  }
}
